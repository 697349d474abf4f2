(* The model as an engine: one JSON object a line in, one a line out (spec/protocol.md). It answers
   [check] and [version], and the functions of [Ops], [Nests], [Ranged] and [Bounds] for the comparison with Rust
   (../README.md). *)

open Extracted
open Wire

(* The version of the workspace; a test compares the two. *)
let version = "0.1.0"

let longest_line = 64 lsl 20

let operations = [ "solve"; "close"; "decide"; "check"; "infer"; "project"; "run"; "version" ]

let with_fields allowed it = only ("id" :: "op" :: allowed) it

(* Def. 3.4: do these values solve these constraints? *)
let check it out =
  with_fields [ "constraints"; "values" ] it;
  let names = new_names () in
  let phi = under "constraints" (Wire.constrs names) (field it "constraints") in
  let values = under "values" (solution names ~fresh:false) (field it "values") in
  let missing v = not (assigned values v) in
  (match List.find_opt missing (List.concat_map vars_c phi) with
   | Some v -> under "values" (fail "no value for %s") (Hashtbl.find names.shown v)
   | None -> ());
  match violations (ground_of values) O phi with
  | [] -> Buffer.add_string out "\"verdict\":\"holds\""
  | which ->
    Buffer.add_string out "\"verdict\":\"violated\",\"which\":";
    Json.write_list out (fun i -> Printf.bprintf out "%d" (int_of_nat i)) which

(* Coq's own name [project] is that of an operation of the protocol: here it is [nest]. *)
let functions = Ops.table @ Nests.table @ Ranged.table @ Bounds.table

(* The place of a value in a list that was read. *)
let place_among values =
  (* Rows differ far inside: the hash looks at more of them than usual. *)
  let hash value = Hashtbl.hash_param 100 400 value in
  let places = Hashtbl.create 1000 in
  List.iteri (fun i value -> Hashtbl.add places (hash value) (value, i)) values;
  fun value -> Option.value (List.assoc_opt value (Hashtbl.find_all places (hash value))) ~default:(-1)

(* One result is written as it is, several as a list; truth values as a string of 0 and 1. With [among],
   a result is its place in that list, or -1. *)
let run (Ops.Op (args, result, f)) it out =
  with_fields [ "args"; "cases"; "all"; "among" ] it;
  let names = new_names () in
  let single = List.map (fun json -> [ json ]) in
  let lists key lists_of json = under key (fun json -> List.map (Ops.read_lists names args) (lists_of json)) json in
  let write =
    match List.assoc_opt "among" it with
    | None -> result.write names out
    | Some json ->
      let place = place_among (under "among" (fun json -> numbered (result.read names) (list json)) json) in
      fun value -> Buffer.add_string out (string_of_int (place value))
  in
  let every lists emit = List.iter (fun lists -> Ops.product lists f emit) lists in
  let several lists =
    Buffer.add_string out "\"verdict\":\"values\",\"values\":";
    match result.sign with
    | Some sign ->
      Buffer.add_char out '"';
      every lists (fun value -> Buffer.add_char out (sign value));
      Buffer.add_char out '"'
    | None ->
      let first = ref true in
      let emit value =
        if not !first then Buffer.add_char out ',';
        first := false;
        write value
      in
      Buffer.add_char out '[';
      every lists emit;
      Buffer.add_char out ']'
  in
  match List.assoc_opt "args" it, List.assoc_opt "cases" it, List.assoc_opt "all" it with
  | Some json, None, None ->
    let args = lists "args" (fun json -> [ single (list json) ]) json in
    Buffer.add_string out "\"verdict\":\"value\",\"value\":";
    every args write
  | None, Some json, None ->
    let case json = single (list json) in
    several (lists "cases" (fun json -> List.map case (list json)) json)
  | None, None, Some json -> several (lists "all" (fun json -> [ List.map list (list json) ]) json)
  | _ -> fail "expected one of args, cases and all"

(* Operations of the protocol on constraints; claims on sizes are §8's, and the model has none. *)
let solving = [ ("solve", Solving.solve); ("close", Solving.close); ("decide", Solving.decide) ]

let has_claims it = List.mem_assoc "claims" it || List.mem_assoc "discardable" it

let answer it out =
  match List.assoc_opt "op" it with
  | None -> fail "the field op is missing"
  | Some (Json.String "check") -> check it out
  | Some (Json.String op) when List.mem_assoc op solving ->
    if has_claims it then under "op" (fail_as "unsupported" "%s with claims is not answered by the model") op;
    List.assoc op solving it out
  | Some (Json.String "derivation") -> Derivation.answer it out
  | Some (Json.String "version") ->
    with_fields [] it;
    Printf.bprintf out "\"verdict\":\"version\",\"name\":\"lozenge-model\",\"version\":\"%s\",\"wire\":1" version
  | Some (Json.String op) ->
    (match List.assoc_opt op functions with
     | Some op -> run op it out
     | None ->
       let refuse op =
         if List.mem op operations then fail_as "unsupported" "the operation %s is not answered by the model" op
         else fail_as "unsupported" "there is no operation %S" op
       in
       under "op" refuse op)
  | Some _ -> under "op" fail "expected the name of an operation"

(* A key as a part of a JSON pointer (RFC 6901). *)
let pointer keys =
  let escape key = String.concat "~1" (String.split_on_char '/' (String.concat "~0" (String.split_on_char '~' key))) in
  String.concat "" (List.map (fun key -> "/" ^ escape key) keys)

let error out { kind; message; at } =
  Printf.bprintf out "\"verdict\":\"error\",\"kind\":\"%s\",\"message\":" kind;
  Json.write_string out message;
  Buffer.add_string out ",\"at\":";
  Json.write_string out (pointer at)

(* What [write] adds, or in its place what is wrong. *)
let guarded out write =
  let start = Buffer.length out in
  let instead failure = Buffer.truncate out start; error out failure in
  match write () with
  | () -> ()
  | exception Unreadable failure -> instead failure
  | exception Stack_overflow -> instead { kind = "limit"; message = "it is too large"; at = [] }

let answer_line text out =
  let no_request kind message = Buffer.add_string out "\"id\":null,"; error out { kind; message; at = [] } in
  Buffer.add_char out '{';
  (match if Json.is_utf8 text then Json.parse_fields text else raise (Json.Malformed "not UTF-8") with
   | it ->
     (match List.assoc_opt "id" it with
      | Some (_, id) -> Printf.bprintf out "\"id\":%s," id
      | None -> ());
     guarded out (fun () -> answer (List.map (fun (key, (json, _)) -> (key, json)) it) out)
   | exception Json.Malformed message -> no_request "parse" message
   | exception Json.Too_deep -> no_request "limit" "lists and objects are nested too deeply"
   | exception Stack_overflow -> no_request "limit" "it is too large");
  Buffer.add_string out "}\n"

(* The next line, if it is not longer than it may be. A last line needs no line feed. *)
let next_line line =
  Buffer.clear line;
  let rec go length =
    match input_char stdin with
    | '\n' -> length
    | c -> if length < longest_line then Buffer.add_char line c; go (length + 1)
    | exception End_of_file -> if length = 0 then raise End_of_file else length
  in
  if go 0 <= longest_line then Some (Buffer.contents line) else None

let () =
  let line = Buffer.create 1000 and out = Buffer.create 1000 in
  try
    while true do
      Buffer.clear out;
      (match next_line line with
       | Some text -> answer_line text out
       | None ->
         Buffer.add_string out "{\"id\":null,";
         error out { kind = "limit"; message = "a line is longer than 64 MiB"; at = [] };
         Buffer.add_string out "}\n");
      Buffer.output_buffer stdout out;
      flush stdout
    done
  with End_of_file -> ()
