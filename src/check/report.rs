//! The report: a row per check, written at once, with the exchanged lines below failures.

use std::io::{self, Write};

use super::{Summary, Verdict};
use crate::client::transcript::Transcript;

pub(super) struct Report<'a> {
    output: &'a mut dyn Write,
    verbose: bool,
    width: usize,
    summary: Summary,
}

impl<'a> Report<'a> {
    pub(super) fn new(output: &'a mut dyn Write, verbose: bool) -> Self {
        Self { output, verbose, width: 0, summary: Summary::default() }
    }

    /// Sets the width of the column of names.
    pub(super) fn width<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    }

    pub(super) fn head(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}\n")?;
        self.output.flush()
    }

    pub(super) fn row(&mut self, name: &str, why: &str, verdict: &Verdict, transcript: &Transcript) -> io::Result<()> {
        let Summary { passed, failed, skipped, noted } = &mut self.summary;
        let (word, text, count) = match verdict {
            Verdict::Passed(text) => ("pass", text, passed),
            Verdict::Failed(text) => ("FAIL", text, failed),
            Verdict::Skipped(text) => ("skip", text, skipped),
            Verdict::Noted(text) => ("note", text, noted),
        };
        *count += 1;
        let row = format!("{word}  {name:<width$}  {text}", width = self.width);
        writeln!(self.output, "{}", row.trim_end())?;
        let missed = matches!(verdict, Verdict::Failed(_) | Verdict::Noted(_));
        if missed {
            writeln!(self.output, "        why: {why}")?;
        }
        if missed || self.verbose {
            for line in transcript.lines() {
                writeln!(self.output, "        {line}")?;
            }
        }
        self.output.flush()
    }

    /// Writes the summary.
    pub(super) fn end(&mut self) -> io::Result<Summary> {
        writeln!(self.output, "\n{}", self.summary)?;
        self.output.flush()?;
        Ok(self.summary)
    }
}
