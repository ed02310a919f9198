//! What is dragged, and where to.

use crate::page::interact::Element;
use crate::page::interact::acted::Point;

/// What to drag.
#[derive(Clone, Debug)]
pub enum Grip {
    /// An element, by a point of it that is hit.
    Element(Element),
    /// A point of the viewport, and the element that was hit there.
    Point(Point, Element),
}

/// Where to drag to.
#[derive(Clone, Debug)]
pub enum Drop<'a> {
    /// The middle of an element.
    Element(&'a Element),
    /// A point of the viewport.
    Point(Point),
}
