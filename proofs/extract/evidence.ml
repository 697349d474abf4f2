(* Certificates (spec/certificates.md) as terms of the Coq development. *)

open Extracted
open Wire

(* The fields of a rule, beside the claim. *)
let fields_of = function
  | "input" -> [ "index" ]
  | "substitute" -> [ "line"; "with" ]
  | "zip" | "align" -> [ "line"; "edge"; "index" ]
  | "strip" -> [ "line"; "front"; "back" ]
  | "residue" | "grow" | "empty" | "pin" | "pin-top" -> [ "line" ]
  | "collapse" | "antisym" -> [ "lines" ]
  | rule -> fail "unknown rule %s" rule

let only_fields allowed json =
  let it = fields json in
  only allowed it;
  it

let claim names it =
  match List.assoc_opt "holds" it, List.assoc_opt "is" it with
  | Some holds, None -> Holds (constr names ~fresh:true holds)
  | None, Some is ->
    let is = only_fields [ "var"; "row" ] is in
    let var = variable names ~fresh:true Row (field is "var") in
    Is (number_of var, row_term names ~fresh:true (field is "row"))
  | _ -> fail "expected one of holds and is"

let side it =
  match field it "edge" with
  | Json.String "front" -> Front
  | Json.String "back" -> Back
  | _ -> fail "expected front or back"

(* What a substitution replaces has been met before. *)
let replaced names json =
  let it = only_fields [ "line"; "var" ] json in
  match field it "var" with
  | Json.String text ->
    (match Hashtbl.find_opt names.vars text with
     | Some var -> (index (field it "line"), var)
     | None -> fail "there is no variable %s" text)
  | _ -> fail "expected the name of a variable"

let inference names it =
  let number key = index (field it key) in
  let line () = number "line" in
  match field it "rule" with
  | Json.String "input" -> ByInput (number "index")
  | Json.String "substitute" -> BySubstitute (line (), List.map (replaced names) (list (field it "with")))
  | Json.String "zip" -> ByZip (line (), side it, number "index")
  | Json.String "strip" -> ByStrip (line (), number "front", number "back")
  | Json.String "align" -> ByAlign (line (), side it, number "index")
  | Json.String "residue" -> ByResidue (line ())
  | Json.String "grow" -> ByGrow (line ())
  | Json.String "empty" -> ByEmpty (line ())
  | Json.String "pin" -> ByPin (line ())
  | Json.String "pin-top" -> ByPinTop (line ())
  | Json.String "collapse" ->
    (match list (field it "lines") with
     | [ i; j ] -> ByCollapse (index i, index j)
     | _ -> fail "expected two lines")
  | Json.String "antisym" -> ByAntisym (List.map index (list (field it "lines")))
  | Json.String rule -> fail "unknown rule %s" rule
  | _ -> fail "expected the name of a rule"

let line names json =
  let it = fields json in
  (match field it "rule" with
   | Json.String rule -> only ([ "rule"; "holds"; "is" ] @ fields_of rule) it
   | _ -> fail "expected the name of a rule");
  let says = claim names it in
  { because = inference names it; says }

let ending json =
  let it = fields json in
  only (if List.mem_assoc "absurd" it then [ "absurd" ] else [ "cycle"; "edge" ]) it;
  if List.mem_assoc "absurd" it then EndAbsurd (index (field it "absurd"))
  else
    let fact json =
      let it = only_fields [ "line"; "backwards" ] json in
      match field it "backwards" with
      | Json.Bool backwards -> (index (field it "line"), backwards)
      | _ -> fail "expected true or false"
    in
    EndCycle (side it, List.map fact (list (field it "cycle")))

let refutation names json =
  let it = only_fields [ "lines"; "end" ] json in
  let lines = List.map (line names) (list (field it "lines")) in
  { lines; the_end = ending (field it "end") }
