(* JSON, as much as the format needs. Numbers are kept as they are written. *)

type t =
  | Null
  | Bool of bool
  | Number of string
  | String of string
  | List of t list
  | Object of (string * t) list

exception Malformed of string
exception Too_deep

(* Nothing in the format is nested as deeply. *)
let deepest = 100

type reader = { text : string; mutable at : int }

let fail reader what = raise (Malformed (Printf.sprintf "not JSON: byte %d: %s" reader.at what))

let peek reader = if reader.at < String.length reader.text then reader.text.[reader.at] else '\000'

let advance reader = reader.at <- reader.at + 1

let rec skip_space reader =
  match peek reader with
  | ' ' | '\t' | '\r' | '\n' -> advance reader; skip_space reader
  | _ -> ()

let expect reader c =
  if peek reader = c then advance reader else fail reader (Printf.sprintf "expected %c" c)

let word reader text value =
  let n = String.length text in
  if reader.at + n <= String.length reader.text && String.sub reader.text reader.at n = text then begin
    reader.at <- reader.at + n;
    value
  end
  else fail reader "expected a value"

let is_digit c = '0' <= c && c <= '9'

let digits reader =
  if not (is_digit (peek reader)) then fail reader "expected a digit";
  while is_digit (peek reader) do advance reader done

let number reader =
  let start = reader.at in
  if peek reader = '-' then advance reader;
  if peek reader = '0' then advance reader else digits reader;
  if peek reader = '.' then (advance reader; digits reader);
  (match peek reader with
   | 'e' | 'E' ->
     advance reader;
     (match peek reader with '+' | '-' -> advance reader | _ -> ());
     digits reader
   | _ -> ());
  Number (String.sub reader.text start (reader.at - start))

let hex4 reader =
  let value = ref 0 in
  for _ = 1 to 4 do
    let digit =
      match peek reader with
      | '0' .. '9' as c -> Char.code c - Char.code '0'
      | 'a' .. 'f' as c -> Char.code c - Char.code 'a' + 10
      | 'A' .. 'F' as c -> Char.code c - Char.code 'A' + 10
      | _ -> fail reader "expected four hexadecimal digits"
    in
    value := (!value * 16) + digit;
    advance reader
  done;
  !value

(* \uXXXX; two of them where one is not enough. *)
let unicode reader =
  let code = hex4 reader in
  let code =
    if 0xD800 <= code && code <= 0xDBFF then begin
      expect reader '\\';
      expect reader 'u';
      let low = hex4 reader in
      if low < 0xDC00 || low > 0xDFFF then fail reader "half a character";
      0x10000 + ((code - 0xD800) * 0x400) + (low - 0xDC00)
    end
    else code
  in
  if Uchar.is_valid code then Uchar.of_int code else fail reader "half a character"

let string reader =
  let out = Buffer.create 16 in
  let rec go () =
    if reader.at >= String.length reader.text then fail reader "the text ends inside a string";
    let c = peek reader in
    advance reader;
    match c with
    | '"' -> Buffer.contents out
    | '\\' ->
      let escape = peek reader in
      advance reader;
      (match escape with
       | '"' | '\\' | '/' -> Buffer.add_char out escape
       | 'b' -> Buffer.add_char out '\b'
       | 'f' -> Buffer.add_char out '\012'
       | 'n' -> Buffer.add_char out '\n'
       | 'r' -> Buffer.add_char out '\r'
       | 't' -> Buffer.add_char out '\t'
       | 'u' -> Buffer.add_utf_8_uchar out (unicode reader)
       | _ -> fail reader "unknown escape");
      go ()
    | c when Char.code c < 0x20 -> fail reader "a control character inside a string"
    | c -> Buffer.add_char out c; go ()
  in
  expect reader '"';
  go ()

(* Items up to the closing bracket, which is taken as well. *)
let items reader close item =
  skip_space reader;
  if peek reader = close then (advance reader; [])
  else
    let rec go taken =
      let taken = item () :: taken in
      skip_space reader;
      match peek reader with
      | ',' -> advance reader; go taken
      | c when c = close -> advance reader; List.rev taken
      | _ -> fail reader (Printf.sprintf "expected , or %c" close)
    in
    go []

let rec value reader depth =
  if depth > deepest then raise Too_deep;
  skip_space reader;
  match peek reader with
  | '{' ->
    advance reader;
    let seen = Hashtbl.create 8 in
    let field () =
      skip_space reader;
      let key = string reader in
      (* Two fields of one name would leave open which of them counts. *)
      if Hashtbl.mem seen key then fail reader (Printf.sprintf "the field %s is there twice" key);
      Hashtbl.add seen key ();
      skip_space reader;
      expect reader ':';
      (key, value reader (depth + 1))
    in
    Object (items reader '}' field)
  | '[' -> advance reader; List (items reader ']' (fun () -> value reader (depth + 1)))
  | '"' -> String (string reader)
  | 't' -> word reader "true" (Bool true)
  | 'f' -> word reader "false" (Bool false)
  | 'n' -> word reader "null" Null
  | '-' | '0' .. '9' -> number reader
  | _ -> fail reader "expected a value"

let parse text =
  let reader = { text; at = 0 } in
  let json = value reader 0 in
  skip_space reader;
  if reader.at < String.length text then fail reader "something follows the value";
  json

(* The fields of an object, each with the text of its value as it is written. *)
let parse_fields text =
  match parse text with
  | Object _ ->
    let reader = { text; at = 0 } in
    let field () =
      skip_space reader;
      let key = string reader in
      skip_space reader;
      expect reader ':';
      skip_space reader;
      let start = reader.at in
      let json = value reader 1 in
      (key, (json, String.sub text start (reader.at - start)))
    in
    skip_space reader;
    expect reader '{';
    items reader '}' field
  | _ -> raise (Malformed "a request is a JSON object")

let write_string out text =
  let escaped = function
    | '"' -> Buffer.add_string out "\\\""
    | '\\' -> Buffer.add_string out "\\\\"
    | c when Char.code c < 0x20 -> Printf.bprintf out "\\u%04x" (Char.code c)
    | c -> Buffer.add_char out c
  in
  Buffer.add_char out '"';
  String.iter escaped text;
  Buffer.add_char out '"'

(* [a,b,c], or {…} with other brackets. *)
let write_items out (opening, closing) write items =
  Buffer.add_char out opening;
  List.iteri (fun i item -> if i > 0 then Buffer.add_char out ','; write item) items;
  Buffer.add_char out closing

let write_list out write items = write_items out ('[', ']') write items

let write_object out write fields =
  write_items out ('{', '}') (fun (key, item) -> write_string out key; Buffer.add_char out ':'; write item) fields

(* Well-formed UTF-8, without halves of characters and without longer forms than needed. *)
let is_utf8 text =
  let n = String.length text in
  let byte i = Char.code text.[i] in
  let continues i count =
    i + count < n && List.for_all (fun k -> byte (i + k) land 0xC0 = 0x80) (List.init count succ)
  in
  let rec go i =
    if i >= n then true
    else
      let b = byte i in
      let length, least =
        if b < 0x80 then (1, 0)
        else if b land 0xE0 = 0xC0 then (2, 0x80)
        else if b land 0xF0 = 0xE0 then (3, 0x800)
        else if b land 0xF8 = 0xF0 then (4, 0x10000)
        else (0, 0)
      in
      length > 0
      && continues i (length - 1)
      && (length = 1
          ||
          let lead = b land (0xFF lsr (length + 1)) in
          let further code k = (code lsl 6) lor (byte (i + k) land 0x3F) in
          let code = List.fold_left further lead (List.init (length - 1) succ) in
          code >= least && Uchar.is_valid code)
      && go (i + length)
  in
  go 0
