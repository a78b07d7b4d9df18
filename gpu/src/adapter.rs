//! The adapter that trains.

use burn_tensor::Device;

use crate::GpuError;

/// A GPU, ready for use. Copies are the same GPU.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub(crate) device: Device,
    name: String,
    by: &'static str,
    software: bool,
    /// Bytes that one piece of memory may have, where the adapter says so.
    most: Option<u64>,
}

impl Gpu {
    /// The best adapter of Vulkan, Metal or DirectX 12; `CUBECL_WGPU_DEFAULT_DEVICE` names another,
    /// for instance `DiscreteGpu(1)`. To be called once in a process: the adapter cannot be opened
    /// twice.
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

    /// The first adapter of CUDA; `CUDA_VISIBLE_DEVICES` chooses it. The driver and the libraries
    /// of CUDA are loaded here, not when the program is built.
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

    /// The adapter's name, and by what it is used.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is used by: `wgpu` or `cuda`.
    pub fn by(&self) -> &'static str {
        self.by
    }

    /// Whether it is a program that stands in for a GPU, and slower than the processor it runs on.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Refuses what is too large for one piece of memory.
    pub(crate) fn check(&self, what: &'static str, numbers: usize) -> Result<(), GpuError> {
        let needed = (numbers as u64).saturating_mul(4);
        match self.most {
            Some(most) if needed > most => {
                Err(GpuError::Memory { what, needed, most, adapter: self.name.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The error of a failed operation.
    pub(crate) fn failed(&self, error: &impl ToString) -> GpuError {
        let reason = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        GpuError::Failed { adapter: self.name.clone(), reason }
    }
}
