//! The heading above an image: title and description, wrapped to its width.

use super::{Letters, Picture};

const TITLE: Letters = Letters::bold(14.0);
const DESCRIPTION: Letters = Letters::regular(12.0);
/// The distances of lines of the title and of the description.
const LEADING: [f64; 2] = [18.0, 16.0];

/// Lines of title and description.
#[derive(Debug, Clone)]
pub struct Heading {
    title: Vec<String>,
    description: Vec<String>,
}

impl Heading {
    /// A heading of at most this width. The description may be empty.
    pub fn new(title: &str, description: &str, width: f64) -> Heading {
        Heading {
            title: TITLE.wrapped(title, width),
            description: DESCRIPTION.wrapped(description, width),
        }
    }

    /// The height of the lines after the first ones of title and description.
    pub fn extra_height(&self) -> f64 {
        let extra = |lines: &[String], leading: f64| leading * lines.len().saturating_sub(1) as f64;
        extra(&self.title, LEADING[0]) + extra(&self.description, LEADING[1])
    }

    /// Draws the heading, with the base line of its first line at this position.
    pub fn draw(&self, picture: &mut Picture, [x, mut y]: [f64; 2]) {
        for line in &self.title {
            picture.text([x, y], "font-size=\"14\" font-weight=\"bold\"", line);
            y += LEADING[0];
        }
        for line in &self.description {
            picture.text([x, y], "font-size=\"12\" opacity=\"0.8\"", line);
            y += LEADING[1];
        }
    }
}
