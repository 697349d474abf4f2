(* The wire format (spec/protocol.md) as terms of the Coq development. *)

open Extracted

(* What is wrong and where: the keys and numbers on the way there. *)
type failure = { kind : string; message : string; at : string list }

exception Unreadable of failure

let fail_as kind format =
  Printf.ksprintf (fun message -> raise (Unreadable { kind; message; at = [] })) format

let fail format = fail_as "parse" format

(* What [read] does, one level further down. *)
let under key read value =
  try read value with Unreadable failure -> raise (Unreadable { failure with at = key :: failure.at })

let numbered read = List.mapi (fun i -> under (string_of_int i) read)

(* Names are numbered as they appear; a name has one sort. *)
type names = {
  vars : (string, var) Hashtbl.t;
  shown : (var, string) Hashtbl.t;
  bases : (string, nat) Hashtbl.t;
  shown_bases : (nat, string) Hashtbl.t;
  mutable next_var : nat;
  mutable next_basis : nat;
}

let new_names () =
  let bases = Hashtbl.create 8 in
  Hashtbl.add bases "default" O;
  { vars = Hashtbl.create 16; shown = Hashtbl.create 16; bases; shown_bases = Hashtbl.create 8;
    next_var = O; next_basis = S O }

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
  | Some _ -> fail_as "sort" "%s stands for a dimension and for a row" text
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
       Hashtbl.add names.shown_bases basis text;
       basis)
  | _ -> fail "expected the name of a basis"

let dim_term names ~fresh = function
  | Json.Number _ as n -> DConst (Atom (size n, O))
  | Json.String "unit" -> DConst Unit
  | Json.Object it when List.mem_assoc "var" it ->
    only [ "var" ] it;
    DVar (number_of (under "var" (variable names ~fresh Dim) (field it "var")))
  | Json.Object it ->
    only [ "n"; "basis" ] it;
    let n = under "n" size (field it "n") in
    DConst (Atom (n, under "basis" (basis names) (field it "basis")))
  | _ -> fail "expected a dimension"

let row_term names ~fresh json =
  let it = fields json in
  only [ "lead"; "var"; "trail" ] it;
  let flank key = under key (fun json -> numbered (dim_term names ~fresh) (list json)) (field it key) in
  let tlead = flank "lead" in
  let tmid =
    match List.assoc_opt "var" it with
    | None | Some Json.Null -> None
    | Some var -> Some (number_of (under "var" (variable names ~fresh Row) var))
  in
  { tlead; tmid; ttrail = flank "trail" }

type term = D of dterm | R of rterm

let term names ~fresh = function
  | Json.Object it as json when List.mem_assoc "lead" it || List.mem_assoc "trail" it ->
    R (row_term names ~fresh json)
  | json -> D (dim_term names ~fresh json)

let constr names ~fresh json =
  match fields json with
  | [ (("eq" | "le") as relation, json) ] ->
    let pair = function
      | Json.List [ left; right ] ->
        let left = under "0" (term names ~fresh) left in
        let right = under "1" (term names ~fresh) right in
        (match relation, left, right with
         | "eq", D t, D u -> DEq (t, u)
         | _, D t, D u -> DLe (t, u)
         | "eq", R t, R u -> REq (t, u)
         | _, R t, R u -> RLe (t, u)
         | _ -> fail_as "sort" "one side is a dimension and the other a row")
      | _ -> fail "expected a list of two terms"
    in
    under relation pair json
  | [ (key, _) ] -> fail "unknown field %s" key
  | _ -> fail "expected a constraint"

let constrs names json = numbered (constr names ~fresh:false) (list json)

(* Values *)

let ground = function
  | DConst d -> d
  | DVar _ -> fail "a value has no variables"

let ground_row = function
  | { tmid = Some _; _ } -> fail "a value has no variables"
  | { tlead; tmid = None; ttrail } -> { lead = List.map ground tlead; trail = List.map ground ttrail }

(* The fields of an object, in one order whatever the order they are written in. *)
let in_order fields = List.sort (fun (key, _) (key', _) -> compare key key') fields

let solution names ~fresh json =
  let read (dims, rows) (text, json) =
    let value json =
      match term names ~fresh json with
      | D t ->
        let d = ground t in
        ((number_of (var_named names ~fresh Dim text), d) :: dims, rows)
      | R r ->
        let row = ground_row r in
        (dims, (number_of (var_named names ~fresh Row text), row) :: rows)
    in
    under text value json
  in
  let dim_values, row_values = List.fold_left read ([], []) (in_order (fields json)) in
  { dim_values; row_values }

(* The same of variables that constraints have, and of fresh ones: the values of a certificate. *)
let certified names json =
  let unknown (text, _) = not (Hashtbl.mem names.vars text || is_fresh text) in
  Option.iter (fun (text, _) -> fail "there is no variable %S" text) (List.find_opt unknown (fields json));
  solution names ~fresh:true json
