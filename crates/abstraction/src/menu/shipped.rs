//! The built-in menus: the files under `menus/`.

use super::BetMenu;

/// A menu file compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedMenu {
    /// The menu's name: the file name without `.menu`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(ShippedMenu {
            name: $name,
            text: include_str!(concat!("../../menus/", $name, ".menu")),
        }),*]
    };
}

const MENUS: &[ShippedMenu] = shipped! {
    "fc"
    "fcpa"
    "ladder"
    "limit"
    "overbet"
    "reraise"
    "small"
    "standard"
};

/// All built-in menus.
pub fn shipped() -> &'static [ShippedMenu] {
    MENUS
}

/// The built-in menu with this name.
pub fn find(name: &str) -> Option<BetMenu> {
    let menu = MENUS.iter().find(|menu| menu.name == name)?;
    Some(menu.text.parse().expect("a test reads every shipped menu"))
}
