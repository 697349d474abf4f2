(* The wire format (spec/protocol.md, spec/certificates.md) as terms of the checker. *)

open Checker

exception Unreadable of string

let fail format = Printf.ksprintf (fun message -> raise (Unreadable message)) format

(* Names are numbered as they appear; a name has one sort. *)
type names = {
  vars : (string, var) Hashtbl.t;
  shown : (var, string) Hashtbl.t;
  bases : (string, nat) Hashtbl.t;
  mutable next_var : nat;
  mutable next_basis : nat;
}

let new_names () =
  let bases = Hashtbl.create 8 in
  Hashtbl.add bases "default" O;
  { vars = Hashtbl.create 16; shown = Hashtbl.create 16; bases; next_var = O; next_basis = S O }

(* Numbers of lines and axes. Larger ones name nothing that could be there. *)
let largest_index = 1_000_000

let nat_of_int n =
  let rec go acc n = if n = 0 then acc else go (S acc) (n - 1) in
  go O n

let int_of_nat n =
  let rec go acc = function O -> acc | S n -> go (acc + 1) n in
  go 0 n

let is_whole text = text <> "" && String.for_all Json.is_digit text

let index = function
  | Json.Number text when is_whole text ->
    (match int_of_string_opt text with
     | Some n when n <= largest_index -> nat_of_int n
     | _ -> fail "the number %s is too large" text)
  | _ -> fail "expected a number from 0"

(* A size, from 1 to 2^64 - 1, bit by bit. *)
let size = function
  | Json.Number text when is_whole text ->
    let rec positive n =
      let half = Int64.shift_right_logical n 1 in
      if n = 1L then XH
      else if Int64.logand n 1L = 1L then XI (positive half)
      else XO (positive half)
    in
    (match Int64.of_string_opt ("0u" ^ text) with
     | Some n when n <> 0L -> positive n
     | _ -> fail "%s is not a size" text)
  | _ -> fail "expected a size"

let field fields key =
  match List.assoc_opt key fields with
  | Some value -> value
  | None -> fail "the field %s is missing" key

let fields = function Json.Object fields -> fields | _ -> fail "expected an object"

let list = function Json.List items -> items | _ -> fail "expected a list"

let only allowed fields =
  List.iter (fun (key, _) -> if not (List.mem key allowed) then fail "unknown field %s" key) fields

(* A letter, then letters, digits and _. Letters beyond ASCII are not told from other signs. *)
let is_name text =
  let letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || Char.code c >= 0x80 in
  text <> "" && letter text.[0]
  && String.for_all (fun c -> letter c || Json.is_digit c || c = '_' || c = '\'') text
  && text <> "unit" && text <> "bot"

(* ?7, a variable that the solver made. *)
let is_fresh text =
  String.length text > 1 && text.[0] = '?' && is_whole (String.sub text 1 (String.length text - 1))

type sort = Dim | Row

let sort_of = function DV _ -> Dim | RV _ -> Row

let var_named names ~fresh sort text =
  if not (is_name text || (fresh && is_fresh text)) then fail "%S is not a name" text;
  match Hashtbl.find_opt names.vars text with
  | Some var when sort_of var = sort -> var
  | Some _ -> fail "%s stands for a dimension and for a row" text
  | None ->
    let number = names.next_var in
    let var = match sort with Dim -> DV number | Row -> RV number in
    names.next_var <- S number;
    Hashtbl.add names.vars text var;
    Hashtbl.add names.shown var text;
    var

let variable names ~fresh sort = function
  | Json.String text -> var_named names ~fresh sort text
  | _ -> fail "expected the name of a variable"

let number_of = function DV a -> a | RV p -> p

let basis names = function
  | Json.String text when is_name text ->
    (match Hashtbl.find_opt names.bases text with
     | Some basis -> basis
     | None ->
       let basis = names.next_basis in
       names.next_basis <- S basis;
       Hashtbl.add names.bases text basis;
       basis)
  | _ -> fail "expected the name of a basis"

let dim_term names ~fresh = function
  | Json.Number _ as n -> DConst (Atom (size n, O))
  | Json.String "unit" -> DConst Unit
  | Json.Object it when List.mem_assoc "var" it ->
    only [ "var" ] it;
    DVar (number_of (variable names ~fresh Dim (field it "var")))
  | Json.Object it ->
    only [ "n"; "basis" ] it;
    let n = size (field it "n") in
    DConst (Atom (n, basis names (field it "basis")))
  | _ -> fail "expected a dimension"

let row_term names ~fresh json =
  let it = fields json in
  only [ "lead"; "var"; "trail" ] it;
  let flank key = List.map (dim_term names ~fresh) (list (field it key)) in
  let tlead = flank "lead" in
  let tmid =
    match List.assoc_opt "var" it with
    | None | Some Json.Null -> None
    | Some var -> Some (number_of (variable names ~fresh Row var))
  in
  { tlead; tmid; ttrail = flank "trail" }

type term = D of dterm | R of rterm

let term names ~fresh = function
  | Json.Object it as json when List.mem_assoc "lead" it || List.mem_assoc "trail" it ->
    R (row_term names ~fresh json)
  | json -> D (dim_term names ~fresh json)

let constr names ~fresh json =
  match fields json with
  | [ (relation, Json.List [ left; right ]) ] ->
    let left = term names ~fresh left in
    let right = term names ~fresh right in
    (match relation, left, right with
     | "eq", D t, D u -> DEq (t, u)
     | "le", D t, D u -> DLe (t, u)
     | "eq", R t, R u -> REq (t, u)
     | "le", R t, R u -> RLe (t, u)
     | ("eq" | "le"), _, _ -> fail "one side is a dimension and the other a row"
     | _ -> fail "unknown field %s" relation)
  | _ -> fail "expected a constraint"

(* Certificates *)

let claim names it =
  match List.assoc_opt "holds" it, List.assoc_opt "is" it with
  | Some holds, None -> Holds (constr names ~fresh:true holds)
  | None, Some is ->
    let is = fields is in
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
  let it = fields json in
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
  let says = claim names it in
  { because = inference names it; says }

let ending json =
  let it = fields json in
  if List.mem_assoc "absurd" it then EndAbsurd (index (field it "absurd"))
  else
    let fact json =
      let it = fields json in
      match field it "backwards" with
      | Json.Bool backwards -> (index (field it "line"), backwards)
      | _ -> fail "expected true or false"
    in
    EndCycle (side it, List.map fact (list (field it "cycle")))

let refutation names json =
  let it = fields json in
  let lines = List.map (line names) (list (field it "lines")) in
  { lines; the_end = ending (field it "end") }

let ground = function
  | DConst d -> d
  | DVar _ -> fail "a value has no variables"

let solution names json =
  let read (dims, rows) (text, json) =
    match term names ~fresh:true json with
    | D t -> ((number_of (var_named names ~fresh:true Dim text), ground t) :: dims, rows)
    | R { tmid = Some _; _ } -> fail "a value has no variables"
    | R { tlead; tmid = None; ttrail } ->
      let row = { lead = List.map ground tlead; trail = List.map ground ttrail } in
      (dims, (number_of (var_named names ~fresh:true Row text), row) :: rows)
  in
  let dim_values, row_values = List.fold_left read ([], []) (fields json) in
  { dim_values; row_values }
