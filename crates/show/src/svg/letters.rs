//! Upper bounds of text widths in the fonts that stand for `sans-serif`, for layout without font
//! files.
//!
//! Widths are the larger ones of Liberation Sans (those of Arial and Helvetica) and DejaVu Sans, so
//! a text that fits by them fits in either; other letters count as a whole em.

/// Widths of the characters from the blank to `~`, in thousandths of the font size.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667,
    611, 778, 752, 295, 500, 667, 558, 863, 749, 788, 667, 788, 723, 667, 611, 732, 685, 989, 686,
    667, 686, 391, 337, 391, 838, 557, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696,
    696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611, 1000, 774, 763, 734, 831, 684,
    684, 821, 837, 373, 557, 775, 638, 996, 837, 851, 733, 851, 771, 721, 683, 813, 774, 1104, 771,
    725, 726, 458, 366, 458, 838, 557, 500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666,
    343, 1042, 712, 688, 716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// A font: its size in the image's unit, and whether it is bold.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    size: f64,
    bold: bool,
}

impl Letters {
    /// The regular font of this size.
    pub const fn regular(size: f64) -> Letters {
        Letters { size, bold: false }
    }

    /// The bold font of this size.
    pub const fn bold(size: f64) -> Letters {
        Letters { size, bold: true }
    }

    /// The maximum width of a text.
    pub fn wide(self, text: &str) -> f64 {
        let widths = if self.bold { &BOLD } else { &REGULAR };
        let letter = |letter: char| match letter {
            ' '..='~' => widths[letter as usize - ' ' as usize],
            '·' | '’' => 380,
            '–' => 560,
            '−' | '×' | '±' => 840,
            _ => 1000,
        };
        let sum: u32 = text.chars().map(|one| u32::from(letter(one))).sum();
        f64::from(sum) / 1000.0 * self.size
    }

    /// A text in lines of at most this width, broken between words; longer words are broken too.
    pub fn wrapped(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            match lines.last_mut() {
                Some(line) if self.wide(&format!("{line} {word}")) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(String::new()),
            }
            let Some(line) = lines.last_mut().filter(|line| line.is_empty()) else { continue };
            if self.wide(word) <= width {
                line.push_str(word);
                continue;
            }
            for letter in word.chars() {
                let line = lines.last_mut().map_or("", |line| line);
                if !line.is_empty() && self.wide(&format!("{line}{letter}")) > width {
                    lines.push(String::new());
                }
                if let Some(line) = lines.last_mut() {
                    line.push(letter);
                }
            }
        }
        lines
    }

    /// The parts of a list that fit, with `…` if others do not; the first in any case.
    pub fn first_of(self, list: &str, width: f64) -> String {
        if self.wide(list) <= width {
            return list.to_owned();
        }
        let mut fitting = String::new();
        for part in list.split(", ") {
            if !fitting.is_empty() && self.wide(&format!("{fitting}{part}, …")) > width {
                break;
            }
            fitting += &format!("{part}, ");
        }
        fitting.push('…');
        fitting
    }
}
