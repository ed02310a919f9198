//! Calling functions of the kit in a frame's document, and finding frames in one another.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::dom::{DescribeNodeParams, Node};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallFunctionOnParams, CallFunctionOnReturns, ExecutionContextId, GetPropertiesParams, ReleaseObjectParams,
    RemoteObjectId,
};
use chromiumoxide_types::{Command, Method, MethodId};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::frame::FRAME_DEPTH_MAX;
use super::{ActError, Element, Frame, Point};
use crate::cdp::{CdpError, Session};
use crate::page::script::{CALL_KIT, KIT_AS_JSON};
use crate::page::world::{argument, in_frame, in_world, value};
use crate::page::{Page, PageError};

/// The call of [`KIT_AS_JSON`]: `CallFunctionOnParams` would escape it anew.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PutKit<'a> {
    function_declaration: &'a RawValue,
    execution_context_id: ExecutionContextId,
}

impl Method for PutKit<'_> {
    fn identifier(&self) -> MethodId {
        CallFunctionOnParams::IDENTIFIER.into()
    }
}

impl Command for PutKit<'_> {
    type Response = CallFunctionOnReturns;
}

/// What the kit says of itself.
#[derive(Deserialize)]
struct Hello {
    document: String,
}

/// What the kit finds at a point.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hit {
    number: u32,
    is_frame: bool,
    x: f64,
    y: f64,
}

/// What a call of the kit returns.
#[derive(Deserialize)]
#[serde(untagged)]
enum Called<T> {
    Missing {
        #[serde(rename = "missing")]
        _missing: bool,
    },
    Value {
        value: T,
    },
}

impl Page {
    /// The main frame's present document.
    ///
    /// # Errors
    /// [`ActError`]: a dialog holds the page, it died, or it did not answer in time.
    pub async fn main_document(&self) -> Result<Frame, ActError> {
        self.main_document_within(CAPTURE_TIMEOUT).await
    }

    pub(super) async fn main_document_within(&self, limit: Duration) -> Result<Frame, ActError> {
        let frame = Frame::open(self, self.session.clone(), self.main_frame.clone(), None, limit).await?;
        self.latest_document.set(frame.clone());
        Ok(frame)
    }

    /// The present document of the frame that the element `number` of `outer` shows.
    ///
    /// # Errors
    /// [`ActError::NotFound`] where that is no frame; otherwise as [`Page::main_document`].
    pub async fn frame_in(&self, outer: &Frame, number: u32) -> Result<Frame, ActError> {
        let node = outer.describe(self, number).await?;
        let id = node.frame_id.map(String::from).ok_or_else(|| ActError::no_element("the frame"))?;
        let own = self.state.borrow().parts.get(&id).cloned();
        let session = own.unwrap_or_else(|| outer.session().clone());
        Frame::open(self, session, id, Some((outer.clone(), number)), CAPTURE_TIMEOUT).await
    }

    /// Whether this page shows the frame, or one that the frame is inside of.
    #[must_use]
    pub fn shows(&self, frame: &Frame) -> bool {
        frame.is_of(self)
    }

    /// The element that is hit at a point of the viewport, in any frame.
    ///
    /// # Errors
    /// [`ActError::NotFound`] where nothing is; otherwise as [`Page::main_document`].
    pub async fn element_at(&self, point: Point) -> Result<Element, ActError> {
        Ok(self.hit_at(point).await?.0)
    }

    /// The same, with where the point is in the element's document.
    pub(super) async fn hit_at(&self, point: Point) -> Result<(Element, Point), ActError> {
        let (hit, points) = self.hit_through(point).await?;
        Ok((hit, points.first().copied().unwrap_or(point)))
    }

    /// The same, with the point in each document from the element's outwards.
    pub(super) async fn hit_through(&self, point: Point) -> Result<(Element, Vec<Point>), ActError> {
        let mut frame = self.main_document().await?;
        let mut points = vec![point];
        for _ in 0..FRAME_DEPTH_MAX {
            let Point { x, y } = points[0];
            let hit: Option<Hit> = frame.call(self, CAPTURE_TIMEOUT, "at", vec![x.into(), y.into()]).await?;
            let hit = hit.ok_or_else(|| ActError::no_element(format!("the point {x}, {y}")))?;
            if !hit.is_frame {
                return Ok((Element::node(frame, hit.number), points));
            }
            points.insert(0, Point { x: hit.x, y: hit.y });
            frame = self.frame_in(&frame, hit.number).await?;
        }
        Err(ActError::no_element("the point: its frames are too deep"))
    }

    /// Awaits `answer` for `limit` at most, not beyond the page's end, and not while a dialog holds the page: then it
    /// would answer nothing.
    pub(in crate::page) async fn unless_held<T>(
        &self,
        limit: Duration,
        what: &'static str,
        answer: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, ActError> {
        tokio::select! {
            biased;
            answer = self.within(limit, what, answer) => Ok(answer?),
            dialog = self.dialog_opens() => Err(ActError::Dialog(dialog?)),
        }
    }
}

impl Frame {
    /// Whether it is a frame of this page.
    pub(super) fn is_of(&self, page: &Page) -> bool {
        let mut outermost = self;
        while let Some((outer, _)) = outermost.owner() {
            outermost = outer;
        }
        outermost.id() == page.main_frame
    }

    async fn open(
        page: &Page,
        session: Session,
        id: String,
        owner: Option<(Frame, u32)>,
        limit: Duration,
    ) -> Result<Frame, ActError> {
        let making = async { Ok(*session.call(&in_frame(&id)).await?.execution_context_id.inner()) };
        let world = page.unless_held(limit, "asking for a frame", making).await?;
        let hello: Hello = call(page, &session, world, None, limit, "hello", Vec::new()).await?;
        Ok(Frame::new(session, id, world, hello.document, owner))
    }

    /// Calls a function of the kit, as `kit[name](...arguments)`, and awaits what it returns.
    ///
    /// # Errors
    /// [`ActError`]: the document is gone, a dialog holds the page, it died, or the answer took longer than `limit`.
    pub(in crate::page) async fn call<T: DeserializeOwned>(
        &self,
        page: &Page,
        limit: Duration,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<T, ActError> {
        call(page, self.session(), self.world(), Some(self.document()), limit, name, arguments).await
    }

    /// Calls a function of the kit without waiting for what it returns.
    pub(super) fn notify(&self, name: &str) {
        let none = Value::Array(Vec::new());
        let arguments = [name.into(), none, true.into(), self.document().into()].map(argument);
        self.session().call(&in_world(self.world(), CALL_KIT, &arguments)).forget();
    }

    /// The call of a function of the kit that returns an object of the page's. The object stays in the browser.
    pub(super) fn returns_object(&self, name: &str, arguments: Vec<Value>) -> CallFunctionOnParams {
        let arguments = [name.into(), arguments.into(), false.into(), self.document().into()].map(argument);
        let mut call = in_world(self.world(), CALL_KIT, &arguments);
        call.return_by_value = None;
        call
    }

    /// The elements of the list that a function of the kit returns, as objects of the protocol, and the list itself. They are
    /// to be released.
    pub(super) async fn objects(
        &self,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<(Option<RemoteObjectId>, Vec<RemoteObjectId>), CdpError> {
        let list = self.session().call(&self.returns_object(name, arguments)).await?.result.object_id;
        let Some(list) = list else { return Ok((None, Vec::new())) };
        let mut properties = GetPropertiesParams::new(list.clone());
        properties.own_properties = Some(true);
        let properties = self.session().call(&properties).await?.result;
        let entries = properties.into_iter().filter(|property| property.name.bytes().all(|byte| byte.is_ascii_digit()));
        Ok((Some(list), entries.filter_map(|property| property.value?.object_id).collect()))
    }

    /// What the browser says of the element of this number.
    pub(super) async fn describe(&self, page: &Page, number: u32) -> Result<Node, ActError> {
        let session = self.session();
        let describing = async {
            let find = self.returns_object("element", vec![number.into()]);
            let Some(object) = session.call(&find).await?.result.object_id else { return Ok(None) };
            let describe = DescribeNodeParams { object_id: Some(object.clone()), ..DescribeNodeParams::default() };
            let node = session.call(&describe).await;
            session.call(&ReleaseObjectParams::new(object)).forget();
            Ok(Some(node?.node))
        };
        let node = page.unless_held(CAPTURE_TIMEOUT, "asking for an element", describing).await?;
        node.ok_or_else(|| ActError::no_element("the element"))
    }
}

impl Element {
    /// The first element of a frame's document that a CSS selector matches; shadow roots are not looked into.
    ///
    /// # Errors
    /// [`ActError::NotFound`] where none does; otherwise as [`Element::call`].
    pub async fn first(page: &Page, frame: &Frame, selector: &str) -> Result<Self, ActError> {
        let number: u32 = frame.call(page, CAPTURE_TIMEOUT, "first", vec![selector.into()]).await?;
        if number == 0 {
            return Err(ActError::no_element(selector.to_owned()));
        }
        Ok(Self::node(frame.clone(), number))
    }

    /// Calls a function of the kit with the element's number and `arguments`, as `kit[name](number, arguments)`.
    ///
    /// # Errors
    /// [`ActError`]: the frame is gone, a dialog holds the page, the page died or the answer took longer than `limit`.
    pub(in crate::page) async fn call<T: DeserializeOwned>(
        &self,
        page: &Page,
        limit: Duration,
        name: &str,
        arguments: Value,
    ) -> Result<T, ActError> {
        self.frame.call(page, limit, name, vec![self.number.into(), arguments]).await
    }
}

async fn call<T: DeserializeOwned>(
    page: &Page,
    session: &Session,
    world: i64,
    document: Option<&str>,
    limit: Duration,
    name: &str,
    arguments: Vec<Value>,
) -> Result<T, ActError> {
    let arguments = [name.into(), arguments.into(), true.into(), document.into()].map(argument);
    let calls = in_world(world, CALL_KIT, &arguments);
    let calling = async {
        loop {
            match value(session.call(&calls).await?)? {
                Called::Value { value } => return Ok(Some(value)),
                Called::Missing { .. } if document.is_some() => return Ok(None),
                Called::Missing { .. } => {
                    let context = ExecutionContextId::new(world);
                    session.call(&PutKit { function_declaration: &KIT_AS_JSON, execution_context_id: context }).await?;
                }
            }
        }
    };
    match page
        .unless_held(limit, "the page's answer", calling)
        .await
        .and_then(|value| value.ok_or_else(|| ActError::no_document("its frame shows another one")))
    {
        Err(ActError::Page(PageError::Browser(CdpError::Remote { message, .. }))) => {
            Err(ActError::no_document(message))
        }
        // A frame's own process ends with it.
        Err(ActError::Page(PageError::Browser(CdpError::Detached))) if !session.is_same(&page.session) => {
            Err(ActError::no_document("its process has ended"))
        }
        answer => answer,
    }
}
