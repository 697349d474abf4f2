(* Reads one JSON object a line, {"constraints":[...],"certificate":{...}}, and answers each by a
   line: VALID, REFUSED with the reason, UNREADABLE with the reason, or LIMIT where it is too large to
   be looked at. What says VALID is proved: see Certificate_thm. Exit status: 0 all valid, 1 some
   refused, 2 some unreadable, or no input, 3 some too large. *)

open Extracted

type answer = Valid | Refused of string | Unreadable of string | Limit of string

let reason names = function
  | LineRefused i -> Printf.sprintf "line %d does not follow from the lines it names" (Wire.int_of_nat i)
  | EndRefused -> "the end does not follow from the lines it names"
  | Unassigned var -> Printf.sprintf "variable %s has no value" (Hashtbl.find names.Wire.shown var)
  | Violated i -> Printf.sprintf "constraint %d is violated" (Wire.int_of_nat i)

let check json =
  let it = Wire.fields json in
  Wire.only [ "constraints"; "certificate" ] it;
  let names = Wire.new_names () in
  let phi = Wire.constrs names (Wire.field it "constraints") in
  let refusal =
    match Wire.field it "certificate" with
    | Json.Object [ ("refutation", json) ] -> refuse_refutation phi (Evidence.refutation names json)
    | Json.Object [ ("solution", json) ] -> refuse_solution phi (Wire.certified names json)
    | _ -> Wire.fail "expected a certificate: a refutation or a solution"
  in
  match refusal with None -> Valid | Some refusal -> Refused (reason names refusal)

(* What names contain must not look like another answer. *)
let one_line text = String.map (fun c -> if Char.code c < 0x20 || c = '\127' then ' ' else c) text

let answer text =
  match if Json.is_utf8 text then check (Json.parse text) else raise (Json.Malformed "not UTF-8") with
  | answer -> answer
  | exception Json.Malformed message -> Unreadable message
  | exception Json.Too_deep -> Unreadable "not JSON: nested too deeply"
  | exception Wire.Unreadable { message; _ } -> Unreadable message
  | exception Stack_overflow -> Limit "it is too large for the stack"

let () =
  let status = ref 0 and answered = ref false in
  (try
     while true do
       let text = input_line stdin in
       answered := true;
       match answer text with
       | Valid -> print_endline "VALID"
       | Refused why ->
         status := Stdlib.max !status 1;
         print_endline ("REFUSED: " ^ one_line why)
       | Unreadable why ->
         status := Stdlib.max !status 2;
         print_endline ("UNREADABLE: " ^ one_line why)
       | Limit why ->
         status := 3;
         print_endline ("LIMIT: " ^ one_line why)
     done
   with End_of_file -> ());
  if not !answered then begin
    prerr_endline "lozenge-check: no input; expected one JSON object a line";
    status := 2
  end;
  exit !status
