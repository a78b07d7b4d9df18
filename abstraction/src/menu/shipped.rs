//! The menus that ship with the project: the files under `menus/`.

use super::BetMenu;

/// A menu inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedMenu {
    /// The name it is found by: its file name without `.menu`.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(ShippedMenu {
            name: $name,
            text: include_str!(concat!("../../../menus/", $name, ".menu")),
        }),*]
    };
}

const MENUS: &[ShippedMenu] = shipped! {
    "fc"
    "fcpa"
    "ladder"
    "limit"
    "overbet"
    "small"
    "standard"
};

/// All shipped menus.
pub fn shipped() -> &'static [ShippedMenu] {
    MENUS
}

/// The shipped menu with this name.
pub fn find(name: &str) -> Option<BetMenu> {
    let menu = MENUS.iter().find(|menu| menu.name == name)?;
    Some(menu.text.parse().expect("a test reads every shipped menu"))
}
