//! The GPU adapter used for training.

use burn_tensor::Device;

use crate::GpuError;

/// A handle of an initialised GPU. Copies refer to the same GPU.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub(crate) device: Device,
    name: String,
    by: &'static str,
    software: bool,
    /// Maximum size in bytes of one buffer, where the adapter reports it.
    most: Option<u64>,
}

impl Gpu {
    /// The best adapter of Vulkan, Metal or DirectX 12, or the one named by
    /// `CUBECL_WGPU_DEFAULT_DEVICE`, for instance `DiscreteGpu(1)`. May be called only once in a
    /// process: the adapter cannot be opened twice.
    ///
    /// # Errors
    /// [`GpuError::Absent`].
    #[cfg(feature = "wgpu")]
    pub fn wgpu() -> Result<Gpu, GpuError> {
        let (device, setup) =
            Device::wgpu_options().init_with_setup().map_err(|error| GpuError::Absent {
                looked_for: "an adapter of Vulkan, Metal or DirectX 12",
                reason: error.to_string(),
                lists: "`vulkaninfo --summary`",
            })?;
        let (info, limits) = (setup.adapter.get_info(), setup.device.limits());
        Ok(Gpu {
            device,
            name: format!("{} ({})", info.name, info.backend),
            by: "wgpu",
            software: info.device_type == burn_tensor::wgpu::wgpu::DeviceType::Cpu,
            most: Some(limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)),
        })
    }

    /// The first CUDA device; `CUDA_VISIBLE_DEVICES` selects it. The driver and the CUDA libraries
    /// are loaded here, at run time.
    ///
    /// # Errors
    /// [`GpuError::Absent`].
    #[cfg(feature = "cuda")]
    pub fn cuda() -> Result<Gpu, GpuError> {
        let devices = Device::enumerate(burn_tensor::DeviceType::Cuda).into_vec();
        let device = devices.into_iter().next().ok_or_else(|| GpuError::Absent {
            looked_for: "an adapter of CUDA",
            reason: "the driver, libcuda, is missing or shows none".to_owned(),
            lists: "`nvidia-smi`",
        })?;
        let name = device.identity().map_or_else(|| "a GPU".to_owned(), |identity| identity.name);
        Ok(Gpu { device, name: format!("{name} (CUDA)"), by: "cuda", software: false, most: None })
    }

    /// The adapter's name, and the API it is used by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The API: `wgpu` or `cuda`.
    pub fn by(&self) -> &'static str {
        self.by
    }

    /// Whether it is a software implementation, which is slower than the processor it runs on.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Checks that a buffer for this many numbers is not too large.
    pub(crate) fn check(&self, what: &'static str, numbers: usize) -> Result<(), GpuError> {
        let needed = (numbers as u64).saturating_mul(4);
        match self.most {
            Some(most) if needed > most => {
                Err(GpuError::Memory { what, needed, most, adapter: self.name.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The error for a failed operation.
    pub(crate) fn failed(&self, error: &impl ToString) -> GpuError {
        let reason = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        GpuError::Failed { adapter: self.name.clone(), reason }
    }
}
