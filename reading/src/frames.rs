//! Joins the snapshots of frames of other origins into their page's snapshot. Such frames are read separately, each
//! with its part of the plan.

use serde::de::Error as _;

use crate::snapshot::{
    ATTRIBUTES_MAX_UNITS, Columns, Found, FrameText, NODES_MAX, Raw, SNAPSHOT_MAX_BYTES, Snapshot, TEXT_MAX_UNITS,
    VALUES_MAX,
};

/// A document's snapshot, and the frames that the page function could not read from within it.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its snapshot, as JSON.
    pub snapshot: String,
    /// Its frames that were read separately, in the order of their numbers.
    pub frames: Vec<Frame>,
    /// Number of further requested frames that could not be read.
    pub unread: usize,
}

/// A frame that was read separately.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number in its document's snapshot.
    pub number: usize,
    /// The document in the frame.
    pub document: Document,
}

impl Document {
    /// Joins all snapshots into one: matches in frames follow the document's own matches, texts of frames are placed
    /// where the frames are.
    ///
    /// # Errors
    /// If the document's own snapshot is invalid or larger than [`SNAPSHOT_MAX_BYTES`]. A frame's is left out instead.
    pub fn joined(self) -> serde_json::Result<Snapshot> {
        self.joined_within(&mut { SNAPSHOT_MAX_BYTES })
    }

    /// Joins all snapshots within `room` bytes of JSON, those of frames included.
    fn joined_within(self, room: &mut usize) -> serde_json::Result<Snapshot> {
        *room = room
            .checked_sub(self.snapshot.len())
            .ok_or_else(|| serde_json::Error::custom("the snapshot is too large"))?;
        let mut snapshot: Snapshot = serde_json::from_str(&self.snapshot)?;
        drop(self.snapshot);
        snapshot.unread_frames += self.unread;
        let mut texts: Vec<(usize, Vec<Option<Vec<FrameText>>>)> = Vec::new();
        for Frame { number, document } in self.frames {
            match document.joined_within(room) {
                Ok(mut frame) if frame.refused.is_none() => {
                    texts.push((number, frame.answers.iter_mut().map(|found| found.texts.take()).collect()));
                    take_in(&mut snapshot, frame);
                }
                _ => snapshot.unread_frames += 1,
            }
        }
        for (query, found) in snapshot.answers.iter_mut().enumerate() {
            let Some(own) = found.texts.take() else { continue };
            let whole = own.into_iter().flat_map(|text| match text {
                FrameText::Here(_) => vec![text],
                FrameText::Elsewhere { frame } => texts
                    .iter_mut()
                    .find(|(number, _)| *number == frame)
                    .and_then(|(_, texts)| texts.get_mut(query)?.take())
                    .unwrap_or_default(),
            });
            found.texts = Some(whole.collect());
        }
        Ok(snapshot)
    }
}

/// Appends a frame's nodes and matches to the document's own, as far as there is room.
fn take_in(snapshot: &mut Snapshot, frame: Snapshot) {
    snapshot.unread_frames += frame.unread_frames;
    snapshot.cut |= frame.cut;
    let offset = match (&mut snapshot.columns, frame.columns) {
        (Some(columns), Some(more)) => match append(columns, &mut snapshot.names, more, &frame.names) {
            Some(offset) => offset,
            None => {
                snapshot.cut = true;
                return;
            }
        },
        // Only texts were requested.
        _ => {
            for (count, more) in snapshot.hidden.iter_mut().zip(frame.hidden) {
                *count = count.saturating_add(more);
            }
            0
        }
    };
    for (found, mut more) in snapshot.answers.iter_mut().zip(frame.answers) {
        more.roots.iter_mut().for_each(|at| shift(at, offset));
        for value in more.values.iter_mut().flatten() {
            value.shift(offset);
        }
        found.take_in(more);
    }
}

fn shift(at: &mut i64, offset: i64) {
    if *at >= 0 {
        *at = at.saturating_add(offset);
    }
}

/// Appends nodes and returns the index of the first one; `None` if there is no room for them.
fn append(columns: &mut Columns, names: &mut Vec<String>, more: Columns, more_names: &[String]) -> Option<i64> {
    let text = |columns: &Columns| columns.texts.iter().map(String::len).sum::<usize>();
    let attributes = |columns: &Columns| {
        let pairs = columns.attributes.0.iter().flat_map(|(_, pairs)| pairs);
        pairs.map(|(name, value)| name.len() + value.len()).sum::<usize>()
    };
    let offset = columns.parent.len();
    // A UTF-16 unit is at most three bytes.
    if offset + more.parent.len() > NODES_MAX
        || text(columns) + text(&more) > 3 * TEXT_MAX_UNITS
        || attributes(columns) + attributes(&more) > 3 * ATTRIBUTES_MAX_UNITS
    {
        return None;
    }
    // The first name stands for text.
    let name_offset = names.len();
    names.extend(more_names.iter().cloned());
    let offset_units = i64::try_from(offset).ok()?;
    columns.parent.extend(more.parent.into_iter().map(|mut parent| {
        shift(&mut parent, offset_units);
        parent
    }));
    columns.name.extend(more.name.into_iter().map(|name| if name == 0 { 0 } else { name.saturating_add(name_offset) }));
    columns.flags.extend(more.flags);
    columns.boxes.extend(more.boxes);
    columns.sizes.extend(more.sizes);
    columns.texts.extend(more.texts);
    let attributes = more.attributes.0.into_iter().map(|(at, pairs)| (at.saturating_add(offset), pairs));
    columns.attributes.0.extend(attributes);
    Some(offset_units)
}

impl Found {
    /// Adds a frame's answer to the same query.
    fn take_in(&mut self, more: Found) {
        if more.missing {
            return;
        }
        if self.missing {
            *self = more;
            return;
        }
        self.roots.extend(more.roots);
        self.matched = self.matched.zip(more.matched).map(|(own, more)| own.saturating_add(more)).or(self.matched);
        self.blank &= more.blank;
        self.listed = self.listed.saturating_add(more.listed);
        if let (Some(items), Some(more_items)) = (&mut self.items, more.items) {
            items.extend(more_items);
            // One line break between the two.
            self.total_chars = self.total_chars.saturating_add(more.total_chars).saturating_add(1);
        }
        if let (Some(values), Some(more)) = (&mut self.values, more.values) {
            for (value, more) in values.iter_mut().zip(more) {
                value.take_in(more);
            }
        }
    }
}

impl Raw {
    fn shift(&mut self, offset: i64) {
        if let Some(at) = &mut self.at {
            shift(at, offset);
        }
        for inner in self.list.iter_mut().chain(&mut self.map).flatten() {
            inner.shift(offset);
        }
    }

    fn take_in(&mut self, more: Raw) {
        if self.none {
            *self = more;
        } else if let (Some(list), Some(more)) = (&mut self.list, more.list) {
            list.extend(more.into_iter().take(VALUES_MAX.saturating_sub(list.len())));
        }
    }
}
