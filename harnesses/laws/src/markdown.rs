//! Fenced blocks of Markdown: the examples of the specification are run from there.

/// A fenced block of a Markdown file.
#[derive(Debug)]
pub struct Block {
    /// The word behind the opening fence.
    pub tag: String,
    /// What is between the fences.
    pub text: String,
}

/// The fenced blocks of a text, in order.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        match (line.trim_start().strip_prefix("```"), inside) {
            (Some(_), true) => inside = false,
            (Some(tag), false) => {
                inside = true;
                blocks.push(Block { tag: tag.trim().to_owned(), text: String::new() });
            }
            (None, true) => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
            (None, false) => {}
        }
    }
    blocks
}
