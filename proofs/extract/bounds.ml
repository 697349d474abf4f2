(* Size claims (Bounds.v, Cancel.v) on JSON, written as in the protocol.

   [saysb], of the values that variables have, some of which may be 0, and a claim: does it hold?

   [bounds], of the variables that are asked for, the constraints, the claims, the variables that may be 0, and how many
   rounds there are at most. Every factor of a claim may be a number or a term. The answer is "refused"; or "moving", where
   the last round still changed something, or a bound is 2^60 or more: on a cycle of products one soon has more digits than
   there is room for; or for every variable that is asked for [least,most], null where there is no most. Round after round is
   what [bounds] does with a number of rounds: what one leaves is the beginning of the next.

   [bounds_below], the same with the atoms that the constraints have below variables.

   [bounds_cancelled], the same again with what cancels in every two claims: in each round first the one, then the other. *)

open Wire
module B = Extracted_bounds

(* Terms are read as ever, and then are those of the other extraction. *)

let rec nat_of = function Extracted.O -> B.O | Extracted.S n -> B.S (nat_of n)

let rec positive_of = function
  | Extracted.XH -> B.XH
  | Extracted.XO p -> B.XO (positive_of p)
  | Extracted.XI p -> B.XI (positive_of p)

let term_of = function
  | Extracted.DVar a -> B.DVar (nat_of a)
  | Extracted.DConst Extracted.Unit -> B.DConst B.Unit
  | Extracted.DConst (Extracted.Atom (n, b)) -> B.DConst (B.Atom (positive_of n, nat_of b))

let row_of { Extracted.tlead; tmid; ttrail } =
  { B.tlead = List.map term_of tlead; tmid = Option.map nat_of tmid; ttrail = List.map term_of ttrail }

let constr_of = function
  | Extracted.DEq (t, u) -> B.DEq (term_of t, term_of u)
  | Extracted.DLe (t, u) -> B.DLe (term_of t, term_of u)
  | Extracted.REq (r, q) -> B.REq (row_of r, row_of q)
  | Extracted.RLe (r, q) -> B.RLe (row_of r, row_of q)

let term names json = term_of (dim_term names ~fresh:false json)
let terms names json = numbered (term names) (list json)
let rows names json = numbered (fun json -> row_of (row_term names ~fresh:false json)) (list json)
let dim_var names json = nat_of (number_of (variable names ~fresh:false Dim json))

(* Claims *)

let number = function Json.Number "0" -> B.Z0 | json -> B.Zpos (positive_of (size json))

let factor names = function
  | Json.Number _ as n -> B.Known (number n)
  | json -> B.Late (term names json)

let affine names d json =
  let it = fields json in
  only [ "mode"; "stride"; "over"; "offset"; "kernel"; "dilation" ] it;
  let mode =
    match field it "mode" with
    | Json.String "strided" -> B.Strided
    | Json.String "padded" -> B.Padded
    | Json.String "valid" -> B.Valid (factor names (field it "dilation"), term names (field it "kernel"))
    | _ -> fail "expected a mode"
  in
  B.Affine (d, factor names (field it "stride"), term names (field it "over"), mode, number (field it "offset"))

let total names json =
  let it = fields json in
  only [ "rows"; "count"; "scaled"; "divided_by" ] it;
  let rows = rows names (field it "rows") in
  let divided = numbered (dim_var names) (list (field it "divided_by")) in
  match List.assoc_opt "scaled" it with
  | None -> B.Elements (rows, divided, B.XH, B.Known (number (field it "count")), None)
  | Some json ->
    let it = fields json in
    only [ "coeff"; "var"; "denom" ] it;
    let denom = positive_of (size (field it "denom")) in
    B.Elements (rows, divided, denom, factor names (field it "coeff"), Some (dim_var names (field it "var")))

let claim names json =
  match fields json with
  | [ ("size", d); ("affine", it) ] | [ ("affine", it); ("size", d) ] -> affine names (term names d) it
  | [ ("size", d); ("concat", parts) ] | [ ("concat", parts); ("size", d) ] ->
    B.Parts (term names d, terms names parts)
  | [ ("total", it) ] -> total names it
  | [ ("exact", it) ] ->
    let it = fields it in
    only [ "rows"; "axes" ] it;
    B.Axes (rows names (field it "rows"), terms names (field it "axes"))
  | [ ("at_least", d); ("count", n) ] | [ ("count", n); ("at_least", d) ] -> B.At_least (term names d, number n)
  | _ -> fail "expected a claim"

let dim_vars = Ops.only_read (fun names json -> numbered (dim_var names) (list json))
let constrs = Ops.only_read (fun names json -> List.map constr_of (Wire.constrs names json))
let claims = Ops.only_read (fun names json -> numbered (claim names) (list json))

(* Rounds *)

type ended = Refused | Moving | Settled of (B.z * B.z option) list

let is_large =
  let rec bits = function B.XH -> 1 | B.XO p | B.XI p -> 1 + bits p in
  function B.Zpos p | B.Zneg p -> bits p > 60 | B.Z0 -> false

(* A round of both. *)
let cancelled phi rounds claims ranges =
  match B.bounds_below phi rounds claims ranges with
  | B.Narrowed next -> B.bounds_cancelled rounds claims next
  | refused -> refused

let rounds_of round asked phi claims zeros rounds =
  (* What is not asked for must settle as well. *)
  let known = List.sort_uniq compare (asked @ List.concat_map B.claimed claims) in
  let are_large (least, most) = is_large least || Option.fold ~none:false ~some:is_large most in
  let numbers ranges a =
    let { B.least; most } = ranges a in
    (least.B.number, Option.map (fun m -> m.B.number) most)
  in
  let claims = List.map (fun claim -> (claim, false)) claims in
  let rec go rounds ranges =
    match round phi (B.S B.O) claims ranges with
    | B.Refused _ -> Refused
    | B.Narrowed next when List.for_all (fun a -> numbers ranges a = numbers next a) known ->
      Settled (List.map (numbers next) asked)
    | B.Narrowed next when rounds = 0 || List.exists (fun a -> are_large (numbers next a)) known -> Moving
    | B.Narrowed next ->
      (* The same ranges, looked up in a table: what a round leaves remembers all it has done. *)
      let table = Hashtbl.create 16 in
      List.iter (fun a -> Hashtbl.replace table a (next a)) known;
      go (rounds - 1) (fun a -> match Hashtbl.find_opt table a with Some range -> range | None -> next a)
  in
  go (int_of_nat rounds) (B.unbounded phi (fun a -> List.mem a zeros))

let show = function
  | B.Z0 -> "0"
  | B.Zneg _ -> fail "a bound is below 0"
  | n when is_large n -> fail "a bound is too large"
  | B.Zpos p ->
    let rec value = function B.XH -> 1 | B.XO p -> 2 * value p | B.XI p -> (2 * value p) + 1 in
    string_of_int (value p)

let ended =
  let range out (least, most) = Printf.bprintf out "[%s,%s]" (show least) (Option.fold ~none:"null" ~some:show most) in
  let write _ out = function
    | Refused -> Buffer.add_string out "\"refused\""
    | Moving -> Buffer.add_string out "\"moving\""
    | Settled ranges -> Json.write_list out (range out) ranges
  in
  Ops.only_write write

(* What claims mean. What has no value is 1∅, or has no axes. *)

let valuation =
  let dim_of d = match term_of (Extracted.DConst d) with B.DConst d -> d | B.DVar _ -> B.Unit in
  let dims = List.map dim_of in
  let row_of { Extracted.lead; trail } = { B.lead = dims lead; trail = dims trail } in
  let read names json =
    let zeros, others = List.partition (fun (_, value) -> value = Json.Number "0") (fields json) in
    let zeros = List.map (fun (text, _) -> dim_var names (Json.String text)) zeros in
    let { Extracted.dim_values; row_values } = solution names ~fresh:false (Json.Object others) in
    let dims = List.map (fun (a, d) -> (nat_of a, dim_of d)) dim_values in
    let rows = List.map (fun (p, r) -> (nat_of p, row_of r)) row_values in
    let value values otherwise a = Option.value (List.assoc_opt a values) ~default:otherwise in
    let v_ground = { B.g_d = value dims B.Unit; g_r = value rows { B.lead = []; trail = [] } } in
    { B.v_ground; v_zero = (fun a -> List.mem a zeros) }
  in
  Ops.only_read read

let table =
  let ( @-> ) = Ops.( @-> ) in
  let one = Ops.only_read claim in
  let asked = dim_vars @-> constrs @-> claims @-> dim_vars @-> Ops.nat @-> Ops.Nil in
  [
    ("saysb", Ops.Op (valuation @-> one @-> Ops.Nil, Ops.bool, B.saysb));
    ("bounds", Ops.Op (asked, ended, rounds_of (fun _ -> B.bounds)));
    ("bounds_below", Ops.Op (asked, ended, rounds_of B.bounds_below));
    ("bounds_cancelled", Ops.Op (asked, ended, rounds_of cancelled));
  ]
