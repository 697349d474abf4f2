(* The wire format of Lozenge (spec/protocol.md) in OCaml: write an engine, or ask one. One file to copy; it needs the
   standard library and Unix:

     ocamlfind ocamlopt -package unix -linkpkg lozenge_client.ml engine.ml -o engine

   An engine is a list of handlers. A handler gets the fields of a request and returns those of the answer:

     let () = Lozenge_client.serve [ ("check", check); ("version", version) ]

   What it cannot answer it refuses: [refuse ~at:"/values" "parse" "no value for %s" name]. The next line is served. *)

(* The longest line that is read, and how deeply JSON may be nested. *)
let most_bytes = 64 lsl 20
let deepest = 127

(* An error answer: kind, message, and the place as a JSON pointer. [ask] raises it where an engine answered so. *)
exception Refused of { kind : string; message : string; at : string }

let refuse ?(at = "") kind format = Printf.ksprintf (fun message -> raise (Refused { kind; message; at })) format

module Json = struct
  (* Numbers are kept as they are written: sizes go beyond 63 bits. Fields are in their order; a key may stand twice. *)
  type t =
    | Null
    | Bool of bool
    | Number of string
    | String of string
    | List of t list
    | Object of (string * t) list

  type reader = { text : string; mutable at : int }

  let fail reader what = refuse "parse" "not JSON: byte %d: %s" reader.at what
  let peek reader = if reader.at < String.length reader.text then reader.text.[reader.at] else '\000'
  let advance reader = reader.at <- reader.at + 1

  let rec skip_space reader =
    match peek reader with
    | ' ' | '\t' | '\r' | '\n' -> advance reader; skip_space reader
    | _ -> ()

  let expect reader c = if peek reader = c then advance reader else fail reader (Printf.sprintf "expected %c" c)

  let word reader text value =
    let n = String.length text in
    let found = reader.at + n <= String.length reader.text && String.sub reader.text reader.at n = text in
    if found then (reader.at <- reader.at + n; value) else fail reader "expected a value"

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
    if reader.at + 4 > String.length reader.text then fail reader "expected four hexadecimal digits";
    let text = String.sub reader.text reader.at 4 in
    let is_hex = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
    if not (String.for_all is_hex text) then fail reader "expected four hexadecimal digits";
    reader.at <- reader.at + 4;
    int_of_string ("0x" ^ text)

  (* \uXXXX; two of them where one is not enough. *)
  let unicode reader =
    let high = hex4 reader in
    let code =
      if high land 0xFC00 <> 0xD800 then high
      else begin
        expect reader '\\';
        expect reader 'u';
        let low = hex4 reader in
        if low land 0xFC00 <> 0xDC00 then fail reader "half a character";
        0x10000 + ((high - 0xD800) lsl 10) + (low - 0xDC00)
      end
    in
    if Uchar.is_valid code then Uchar.of_int code else fail reader "half a character"

  let string reader =
    let out = Buffer.create 16 in
    let escape () =
      let c = peek reader in
      advance reader;
      match c with
      | '"' | '\\' | '/' -> Buffer.add_char out c
      | 'b' -> Buffer.add_char out '\b'
      | 'f' -> Buffer.add_char out '\012'
      | 'n' -> Buffer.add_char out '\n'
      | 'r' -> Buffer.add_char out '\r'
      | 't' -> Buffer.add_char out '\t'
      | 'u' -> Buffer.add_utf_8_uchar out (unicode reader)
      | _ -> fail reader "unknown escape"
    in
    let rec go () =
      if reader.at >= String.length reader.text then fail reader "the text ends inside a string";
      let c = peek reader in
      advance reader;
      match c with
      | '"' -> Buffer.contents out
      | '\\' -> escape (); go ()
      | c when Char.code c < 0x20 -> fail reader "a control character inside a string"
      | c -> Buffer.add_char out c; go ()
    in
    expect reader '"';
    go ()

  (* Items up to the closing bracket, which is taken as well. *)
  let items reader close item =
    let rec go taken =
      let taken = item () :: taken in
      skip_space reader;
      if peek reader = ',' then (advance reader; go taken)
      else if peek reader = close then (advance reader; List.rev taken)
      else fail reader (Printf.sprintf "expected , or %c" close)
    in
    advance reader;
    skip_space reader;
    if peek reader = close then (advance reader; []) else go []

  let rec value reader depth =
    if depth > deepest then refuse "limit" "lists and objects are nested too deeply";
    skip_space reader;
    match peek reader with
    | '{' -> Object (items reader '}' (fun () -> field reader (depth + 1)))
    | '[' -> List (items reader ']' (fun () -> value reader (depth + 1)))
    | '"' -> String (string reader)
    | 't' -> word reader "true" (Bool true)
    | 'f' -> word reader "false" (Bool false)
    | 'n' -> word reader "null" Null
    | '-' | '0' .. '9' -> number reader
    | _ -> fail reader "expected a value"

  and field reader depth =
    skip_space reader;
    let key = string reader in
    skip_space reader;
    expect reader ':';
    (key, value reader depth)

  (* Well-formed UTF-8, without halves of characters and without longer forms than needed. *)
  let is_utf8 text =
    let n = String.length text in
    let byte i = if i < n then Char.code text.[i] else 0 in
    let further i = byte i land 0xC0 = 0x80 in
    let rec go i =
      let b = byte i in
      if i >= n then true
      else if b < 0x80 then go (i + 1)
      else if b land 0xE0 = 0xC0 then b >= 0xC2 && further (i + 1) && go (i + 2)
      else
        let two = (b lsl 8) lor byte (i + 1) in
        if b land 0xF0 = 0xE0 then
          two >= 0xE0A0 && not (0xEDA0 <= two && two <= 0xEDBF) && further (i + 1) && further (i + 2) && go (i + 3)
        else
          0xF090 <= two && two <= 0xF48F && further (i + 1) && further (i + 2) && further (i + 3) && go (i + 4)
    in
    go 0

  let parse text =
    if not (is_utf8 text) then refuse "parse" "not UTF-8";
    let reader = { text; at = 0 } in
    let json = value reader 1 in
    skip_space reader;
    if reader.at < String.length text then fail reader "something follows the value";
    json

  let write_string out text =
    let write = function
      | '"' -> Buffer.add_string out "\\\""
      | '\\' -> Buffer.add_string out "\\\\"
      | c when Char.code c < 0x20 -> Printf.bprintf out "\\u%04x" (Char.code c)
      | c -> Buffer.add_char out c
    in
    Buffer.add_char out '"';
    String.iter write text;
    Buffer.add_char out '"'

  let rec write out = function
    | Null -> Buffer.add_string out "null"
    | Bool b -> Buffer.add_string out (string_of_bool b)
    | Number text -> Buffer.add_string out text
    | String text -> write_string out text
    | List items -> write_all out '[' (write out) items ']'
    | Object fields ->
      write_all out '{' (fun (key, item) -> write_string out key; Buffer.add_char out ':'; write out item) fields '}'

  and write_all : 'a. Buffer.t -> char -> ('a -> unit) -> 'a list -> char -> unit =
    fun out opening write items closing ->
    Buffer.add_char out opening;
    List.iteri (fun i item -> if i > 0 then Buffer.add_char out ','; write item) items;
    Buffer.add_char out closing

  let to_string json =
    let out = Buffer.create 100 in
    write out json;
    Buffer.contents out
end

type fields = (string * Json.t) list

(* A place one level further down. *)
let under at key =
  let escaped = String.concat "~1" (String.split_on_char '/' (String.concat "~0" (String.split_on_char '~' key))) in
  at ^ "/" ^ escaped

let numbered at read items = List.mapi (fun i item -> read (under at (string_of_int i)) item) items

(* A key that stands twice in one object is an error. *)
let rec once at (json : Json.t) =
  match json with
  | Object fields ->
    let seen = Hashtbl.create 8 in
    let field (key, item) =
      if Hashtbl.mem seen key then refuse ~at:(under at key) "parse" "the key %S stands twice in one object" key;
      Hashtbl.add seen key ();
      (* Only the id of the request is not looked into. *)
      if at <> "" || key <> "id" then once (under at key) item
    in
    List.iter field fields
  | List items -> ignore (numbered at once items)
  | Null | Bool _ | Number _ | String _ -> ()

(* A request has no other fields than those its operation uses. *)
let only ?(at = "") allowed (fields : fields) =
  let known (key, _) = List.mem key allowed in
  match List.find_opt (fun field -> not (known field)) fields with
  | Some (key, _) -> refuse ~at "parse" "unknown field %S" key
  | None -> ()

let field ?(at = "") (fields : fields) key =
  match List.assoc_opt key fields with
  | Some json -> json
  | None -> refuse ~at "parse" "the field `%s` is missing" key

let list at : Json.t -> Json.t list = function List items -> items | _ -> refuse ~at "parse" "expected a list"
let obj at : Json.t -> fields = function Object fields -> fields | _ -> refuse ~at "parse" "expected an object"

(* Terms. A size is its decimal digits: two sizes are the same when their texts are. *)
type dim = Unit | Atom of { n : string; basis : string } | Var of string
type row = { lead : dim list; var : string option; trail : dim list }
type term = Dim of dim | Row of row
type relation = Eq | Le
type constr = { relation : relation; left : term; right : term }
type sort = Dims | Rows

(* One name has one sort in one message. *)
type sorts = (string, sort) Hashtbl.t

let new_sorts () : sorts = Hashtbl.create 8

(* A letter, then letters, digits, _ and '. Letters beyond ASCII are not told from other signs. *)
let is_name text =
  let letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || Char.code c >= 0x80 in
  let further c = letter c || Json.is_digit c || c = '_' || c = '\'' in
  text <> "" && letter text.[0] && String.for_all further text && text <> "unit" && text <> "bot"

let name at : Json.t -> string = function
  | String text when is_name text -> text
  | json -> refuse ~at "parse" "%s is no name" (Json.to_string json)

let sorted (sorts : sorts) sort at text =
  if Option.value (Hashtbl.find_opt sorts text) ~default:sort <> sort then
    refuse ~at "sort" "%s stands for a dimension and for a row" text;
  Hashtbl.replace sorts text sort;
  text

(* From 1 to 2^64 - 1. *)
let is_size text = text <> "0" && String.for_all Json.is_digit text && Int64.of_string_opt ("0u" ^ text) <> None

let size at : Json.t -> string = function
  | Number text when is_size text -> text
  | json -> refuse ~at "parse" "%s is no size" (Json.to_string json)

let read_dim sorts at : Json.t -> dim = function
  | String "unit" -> Unit
  | Number _ as json -> Atom { n = size at json; basis = "default" }
  | Object fields when List.mem_assoc "var" fields ->
    only ~at [ "var" ] fields;
    let at = under at "var" in
    Var (sorted sorts Dims at (name at (List.assoc "var" fields)))
  | Object fields ->
    only ~at [ "n"; "basis" ] fields;
    let n = size (under at "n") (field ~at fields "n") in
    Atom { n; basis = name (under at "basis") (field ~at fields "basis") }
  | json -> refuse ~at "parse" "%s is no dimension" (Json.to_string json)

let read_row sorts at fields =
  only ~at [ "lead"; "var"; "trail" ] fields;
  let flank key = numbered (under at key) (read_dim sorts) (list (under at key) (field ~at fields key)) in
  let lead = flank "lead" in
  let var =
    match List.assoc_opt "var" fields with
    | None | Some Null -> None
    | Some json -> Some (sorted sorts Rows (under at "var") (name (under at "var") json))
  in
  { lead; var; trail = flank "trail" }

let read_term sorts at : Json.t -> term = function
  | Object fields when List.mem_assoc "lead" fields || List.mem_assoc "trail" fields -> Row (read_row sorts at fields)
  | json -> Dim (read_dim sorts at json)

let read_constraint sorts at json =
  let relation, key, pair =
    match obj at json with
    | [ ("eq", pair) ] -> (Eq, "eq", pair)
    | [ ("le", pair) ] -> (Le, "le", pair)
    | _ -> refuse ~at "parse" "a constraint is one of eq and le"
  in
  let at = under at key in
  match numbered at (read_term sorts) (list at pair) with
  | [ (Dim _ as left); (Dim _ as right) ] | [ (Row _ as left); (Row _ as right) ] -> { relation; left; right }
  | [ _; _ ] -> refuse ~at "sort" "one side is a dimension and the other a row"
  | _ -> refuse ~at "parse" "a constraint relates two terms"

let read_constraints sorts fields =
  let at = "/constraints" in
  numbered at (read_constraint sorts) (list at (field fields "constraints"))

let dim_variables = function Var name -> [ name ] | Unit | Atom _ -> []

let variables = function
  | Dim dim -> dim_variables dim
  | Row { lead; var; trail } -> List.concat_map dim_variables (lead @ trail) @ Option.to_list var

(* Ground values, by name. *)
let read_values sorts fields =
  let value (key, json) =
    let at = under "/values" key in
    let term = read_term sorts at json in
    if variables term <> [] then refuse ~at "parse" "a value has no variables";
    let sort = match term with Dim _ -> Dims | Row _ -> Rows in
    (sorted sorts sort at (name at (String key)), term)
  in
  List.map value (obj "/values" (field fields "values"))

let write_dim : dim -> Json.t = function
  | Unit -> String "unit"
  | Atom { n; basis = "default" } -> Number n
  | Atom { n; basis } -> Object [ ("n", Number n); ("basis", String basis) ]
  | Var name -> Object [ ("var", String name) ]

let write_term : term -> Json.t = function
  | Dim dim -> write_dim dim
  | Row { lead; var; trail } ->
    let flank dims : Json.t = List (List.map write_dim dims) in
    let var = match var with Some name -> [ ("var", Json.String name) ] | None -> [] in
    Object ((("lead", flank lead) :: var) @ [ ("trail", flank trail) ])

let write_constraint { relation; left; right } : Json.t =
  Object [ ((match relation with Eq -> "eq" | Le -> "le"), List [ write_term left; write_term right ]) ]

(* Answering. *)

let error kind message at : fields =
  [ ("verdict", String "error"); ("kind", String kind); ("message", String message); ("at", String at) ]

let answered handlers fields =
  once "" (Json.Object fields);
  match List.assoc_opt "op" fields with
  | Some (Json.String op) ->
    (match List.assoc_opt op handlers with
     | Some handler -> handler fields
     | None -> refuse ~at:"/op" "unsupported" "this engine does not answer %S" op)
  | Some _ -> refuse ~at:"/op" "parse" "the operation is a string"
  | None -> refuse "parse" "the field `op` is missing"

(* The answer to a line; none is a line that was too long. *)
let answer handlers line : fields =
  let id = ref [ ("id", Json.Null) ] in
  let found () =
    let text = match line with Some text -> text | None -> refuse "limit" "the line is too long" in
    match Json.parse text with
    | Object fields ->
      (match List.filter (fun (key, _) -> key = "id") fields with [ _; _ ] -> () | one -> id := one);
      answered handlers fields
    | _ -> refuse "parse" "a request is a JSON object"
  in
  let found =
    try found () with
    | Refused { kind; message; at } -> error kind message at
    | Stack_overflow | Out_of_memory -> error "limit" "too large" ""
  in
  !id @ found

(* The next line, without its end; [Some None] is one that is too long. *)
let read_line channel =
  let line = Buffer.create 1000 in
  let rec go count =
    match input_char channel with
    | '\n' -> Some count
    | c -> if count < most_bytes then Buffer.add_char line c; go (count + 1)
    | exception End_of_file -> if count = 0 then None else Some count
  in
  Option.map (fun count -> if count > most_bytes then None else Some (Buffer.contents line)) (go 0)

(* Answers until the input ends or the reader leaves. *)
let serve handlers =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  let rec go () =
    match read_line stdin with
    | None -> ()
    | Some line ->
      print_endline (Json.to_string (Object (answer handlers line)));
      go ()
  in
  try go () with Sys_error _ -> ()

(* Asking. *)

(* The engine gave no answer. It is ended, and is asked nothing more. *)
exception Ended of string

type oracle = { pid : int; input : Unix.file_descr; output : Unix.file_descr; timeout : float; mutable asked : int }

(* Starts an engine by its command, such as [[| "lozenge"; "oracle" |]]. The timeout is in seconds, for one answer. *)
let start ?(timeout = 60.) command =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  let theirs, input = Unix.pipe ~cloexec:true () in
  let output, to_us = Unix.pipe ~cloexec:true () in
  let pid = Unix.create_process command.(0) command theirs to_us Unix.stderr in
  Unix.close theirs;
  Unix.close to_us;
  Unix.set_nonblock input;
  { pid; input; output; timeout; asked = 0 }

(* Ends the engine. *)
let stop oracle =
  List.iter (fun fd -> try Unix.close fd with Unix.Unix_error _ -> ()) [ oracle.input; oracle.output ];
  (try Unix.kill oracle.pid Sys.sigkill with Unix.Unix_error _ -> ());
  try ignore (Unix.waitpid [] oracle.pid) with Unix.Unix_error _ -> ()

let failed oracle format = Printf.ksprintf (fun why -> stop oracle; raise (Ended why)) format

(* Writes a line and reads one, both within the time. *)
let exchange oracle line =
  let until = Unix.gettimeofday () +. oracle.timeout in
  let chunk = Bytes.create 65536 and found = Buffer.create 1000 in
  let rec go written =
    let left = until -. Unix.gettimeofday () in
    if left <= 0. then failed oracle "no answer within %g s" oracle.timeout;
    let waiting = if written < String.length line then [ oracle.input ] else [] in
    let readable, writable, _ = Unix.select [ oracle.output ] waiting [] left in
    let write () = Unix.write_substring oracle.input line written (String.length line - written) in
    let written = if writable = [] then written else written + write () in
    if readable = [] then go written else take written
  and take written =
    let count = Unix.read oracle.output chunk 0 (Bytes.length chunk) in
    if count = 0 then failed oracle "the engine ended before its answer";
    Buffer.add_subbytes found chunk 0 count;
    if Buffer.length found > most_bytes then failed oracle "the answer is too long";
    if Bytes.get chunk (count - 1) = '\n' then Buffer.contents found else go written
  in
  try go 0 with Unix.Unix_error (error, _, _) -> failed oracle "%s" (Unix.error_message error)

(* The fields of the answer to these fields of a request, both without the id. *)
let ask oracle (request : fields) : fields =
  oracle.asked <- oracle.asked + 1;
  let id = Json.Number (string_of_int oracle.asked) in
  let line = exchange oracle (Json.to_string (Object (("id", id) :: request)) ^ "\n") in
  let fields =
    match Json.parse line with
    | Object fields -> fields
    | _ | (exception Refused _) -> failed oracle "the answer is no JSON object"
  in
  if List.assoc_opt "id" fields <> Some id then failed oracle "the answer has another id than the request";
  let text key = match List.assoc_opt key fields with Some (Json.String text) -> text | _ -> "" in
  if text "verdict" = "error" && List.mem_assoc "kind" fields then
    raise (Refused { kind = text "kind"; message = text "message"; at = text "at" });
  List.remove_assoc "id" fields
