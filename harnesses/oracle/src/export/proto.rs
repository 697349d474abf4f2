//! The messages of ONNX that a graph needs, in the wire format of Protocol Buffers. Fields are written in the order of
//! their calls, so that the same graph has the same bytes.

/// A message.
#[derive(Clone, Default)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            // Seven bits a byte, the lowest first.
            self.0.push((n & 0x7f) as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    /// A whole number.
    pub fn int(mut self, field: u64, n: i64) -> Self {
        self.varint(field << 3);
        self.varint(n.cast_unsigned());
        self
    }

    /// Bytes, or a text.
    pub fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.varint((field << 3) | 2);
        self.varint(bytes.as_ref().len() as u64);
        self.0.extend(bytes.as_ref());
        self
    }

    /// A message inside.
    pub fn message(self, field: u64, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    /// Several messages inside.
    pub fn all<'m>(self, field: u64, messages: impl IntoIterator<Item = &'m Message>) -> Self {
        messages.into_iter().fold(self, |to, message| to.message(field, message))
    }

    /// Several whole numbers, each with its field.
    pub fn ints(self, field: u64, numbers: &[i64]) -> Self {
        numbers.iter().fold(self, |to, n| to.int(field, *n))
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The element types that are used.
#[derive(Clone, Copy)]
pub enum Element {
    Int64 = 7,
    Bool = 9,
    Double = 11,
}

/// `TensorProto`.
pub fn tensor(name: &str, element: Element, dims: &[i64], raw: &[u8]) -> Message {
    Message::default().ints(1, dims).int(2, element as i64).bytes(8, name).bytes(9, raw)
}

/// `ValueInfoProto`. A size that is left open is an empty message; the rank is always said, as `onnx.checker` wants it.
pub fn value_info(name: &str, element: Element, dims: &[Option<i64>]) -> Message {
    let size = |n: &Option<i64>| n.map_or(Message::default(), |n| Message::default().int(1, n));
    let sizes: Vec<Message> = dims.iter().map(size).collect();
    let of = Message::default().int(1, element as i64).message(2, &Message::default().all(1, &sizes));
    Message::default().bytes(1, name).message(2, &Message::default().message(1, &of))
}

/// `AttributeProto`: a whole number.
pub fn int_attribute(name: &str, n: i64) -> Message {
    Message::default().bytes(1, name).int(3, n).int(20, 2)
}

/// `AttributeProto`: whole numbers.
pub fn ints_attribute(name: &str, numbers: &[i64]) -> Message {
    Message::default().bytes(1, name).ints(8, numbers).int(20, 7)
}

/// `AttributeProto`: a text.
pub fn text_attribute(name: &str, text: &str) -> Message {
    Message::default().bytes(1, name).bytes(4, text).int(20, 3)
}

/// `AttributeProto`: a tensor.
pub fn tensor_attribute(name: &str, tensor: &Message) -> Message {
    Message::default().bytes(1, name).message(5, tensor).int(20, 4)
}

/// `NodeProto`.
pub fn node(op: &str, inputs: &[String], output: &str, attributes: &[Message]) -> Message {
    let given = inputs.iter().fold(Message::default(), |to, input| to.bytes(1, input));
    given.bytes(2, output).bytes(3, format!("make_{output}")).bytes(4, op).all(5, attributes)
}

/// What a graph consists of.
#[derive(Default)]
pub struct GraphParts {
    pub nodes: Vec<Message>,
    pub initializers: Vec<Message>,
    pub inputs: Vec<Message>,
    pub outputs: Vec<Message>,
}

/// The version of ONNX's format that is written, and that of its operators.
const IR: i64 = 8;
const OPSET: i64 = 18;

/// `ModelProto`.
pub fn model(parts: &GraphParts, properties: &[(String, String)]) -> Vec<u8> {
    let graph = Message::default().all(1, &parts.nodes).bytes(2, "program").all(5, &parts.initializers);
    let graph = graph.all(11, &parts.inputs).all(12, &parts.outputs);
    let entry = |(key, value): &(String, String)| Message::default().bytes(1, key).bytes(2, value);
    let properties: Vec<Message> = properties.iter().map(entry).collect();
    let opset = Message::default().bytes(1, "").int(2, OPSET);
    let model = Message::default().int(1, IR).bytes(2, "lozenge").bytes(3, env!("CARGO_PKG_VERSION"));
    model.message(7, &graph).message(8, &opset).all(14, &properties).into_bytes()
}
