(* The functions of the model under their names in Coq, each on JSON.

   A request gives one list of arguments, [args]; several, [cases]; or for every argument a list of
   values, [all], which stands for all combinations, the last argument changing fastest. *)

open Extracted
open Wire

(* How a type is read and written; where one sign is enough, which. *)
type 'a kind = {
  read : names -> Json.t -> 'a;
  write : names -> Buffer.t -> 'a -> unit;
  sign : ('a -> char) option;
}

let kind read write = { read; write; sign = None }
let only_read read = kind read (fun _ _ _ -> fail "this is no result")
let only_write write = kind (fun _ _ -> fail "results of this kind are not looked for among others") write

let dim_reader names json = ground (dim_term names ~fresh:false json)

let show_size n =
  let rec value = function
    | XH -> 1L
    | XO p -> Int64.shift_left (value p) 1
    | XI p -> Int64.logor (Int64.shift_left (value p) 1) 1L
  in
  Printf.sprintf "%Lu" (value n)

let write_dim names out = function
  | Unit -> Buffer.add_string out "\"unit\""
  | Atom (n, O) -> Buffer.add_string out (show_size n)
  | Atom (n, b) ->
    Printf.bprintf out "{\"n\":%s,\"basis\":" (show_size n);
    Json.write_string out (Hashtbl.find names.shown_bases b);
    Buffer.add_char out '}'

let write_dims names out dims = Json.write_list out (write_dim names out) dims

let write_var names out var = Json.write_string out (Hashtbl.find names.shown var)

let write_dterm names out = function
  | DConst d -> write_dim names out d
  | DVar a -> Buffer.add_string out "{\"var\":"; write_var names out (DV a); Buffer.add_char out '}'

let write_row_with out write lead mid trail =
  Buffer.add_string out "{\"lead\":";
  Json.write_list out write lead;
  mid ();
  Buffer.add_string out ",\"trail\":";
  Json.write_list out write trail;
  Buffer.add_char out '}'

let write_rterm names out { tlead; tmid; ttrail } =
  let mid () =
    match tmid with
    | None -> ()
    | Some p -> Buffer.add_string out ",\"var\":"; write_var names out (RV p)
  in
  write_row_with out (write_dterm names out) tlead mid ttrail

let write_term names out = function TD t -> write_dterm names out t | TR r -> write_rterm names out r

let write_row names out { lead; trail } = write_row_with out (write_dim names out) lead ignore trail

let bool =
  let written = only_write (fun _ out b -> Buffer.add_string out (string_of_bool b)) in
  { written with sign = Some (fun b -> if b then '1' else '0') }

let nat = kind (fun _ -> index) (fun _ out n -> Printf.bprintf out "%d" (int_of_nat n))
let dim = kind dim_reader write_dim

let dimb =
  let read names = function Json.String "bot" -> Bot | json -> Val (dim_reader names json) in
  let write names out = function
    | Bot -> Buffer.add_string out "\"bot\""
    | Val d -> write_dim names out d
  in
  kind read write

let dims = kind (fun names json -> numbered (dim_reader names) (list json)) write_dims
let row = kind (fun names json -> ground_row (row_term names ~fresh:false json)) write_row

(* {"rigid":[…]} is a rigid row; a marked one is written as ever. *)
let row2 =
  let read names = function
    | Json.Object [ ("rigid", json) ] -> Rigid (under "rigid" (dims.read names) json)
    | json -> Marked (row.read names json)
  in
  let write names out = function
    | Marked r -> write_row names out r
    | Rigid f -> Buffer.add_string out "{\"rigid\":"; write_dims names out f; Buffer.add_char out '}'
  in
  kind read write

let term =
  let read names json = match term names ~fresh:false json with D t -> TD t | R r -> TR r in
  kind read write_term

let dterm = only_read (fun names json -> dim_term names ~fresh:false json)
let rterm = only_read (fun names json -> row_term names ~fresh:false json)

let constr =
  let write names out c =
    let pair relation write left right =
      Printf.bprintf out "{\"%s\":[" relation;
      write names out left;
      Buffer.add_char out ',';
      write names out right;
      Buffer.add_string out "]}"
    in
    match c with
    | DEq (t, u) -> pair "eq" write_dterm t u
    | DLe (t, u) -> pair "le" write_dterm t u
    | REq (r, q) -> pair "eq" write_rterm r q
    | RLe (r, q) -> pair "le" write_rterm r q
  in
  kind (fun names json -> constr names ~fresh:false json) write

(* A list of variables, as a list of the terms that are variables. *)
let variables =
  let read names json =
    match term.read names json with
    | TD (DVar a) -> DV a
    | TR { tlead = []; tmid = Some p; ttrail = [] } -> RV p
    | _ -> fail "expected a variable"
  in
  let write names out = Json.write_list out (fun v -> write_term names out (var_term v)) in
  kind (fun names json -> numbered (read names) (list json)) write

(* Variable → term. Only what is moved is written. *)
let bindings =
  let read names json =
    let binding (dim_terms, row_terms) (text, json) =
      let bind json =
        match term.read names json with
        | TD t -> ((number_of (var_named names ~fresh:false Dim text), t) :: dim_terms, row_terms)
        | TR r -> (dim_terms, (number_of (var_named names ~fresh:false Row text), r) :: row_terms)
      in
      under text bind json
    in
    let dim_terms, row_terms = List.fold_left binding ([], []) (fields json) in
    { dim_terms; row_terms }
  in
  let write names out s =
    let once seen v = if List.mem v seen then seen else v :: seen in
    let moved = List.rev (List.fold_left once [] (domain s)) in
    let value v = (Hashtbl.find names.shown v, apply (subst_of s) (var_term v)) in
    Json.write_object out (write_term names out) (List.map value moved)
  in
  kind read write

let values = only_read (fun names json -> solution names ~fresh:false json)
let constrs = only_read Wire.constrs

let option kind =
  let write names out = function
    | None -> Buffer.add_string out "null"
    | Some x -> kind.write names out x
  in
  only_write write

let list_of kind = only_write (fun names out -> Json.write_list out (kind.write names out))

(* Arguments of a function of type 'f with results of type 'r. *)
type ('f, 'r) args = Nil : ('r, 'r) args | Cons : 'a kind * ('f, 'r) args -> ('a -> 'f, 'r) args

type ('f, 'r) lists = No : ('r, 'r) lists | More : 'a list * ('f, 'r) lists -> ('a -> 'f, 'r) lists

type op = Op : ('f, 'r) args * 'r kind * 'f -> op

let rec read_lists : type f r. names -> (f, r) args -> Json.t list list -> (f, r) lists =
 fun names args json ->
  match args, json with
  | Nil, [] -> No
  | Cons (kind, rest), first :: others ->
    let first = List.map (kind.read names) first in
    More (first, read_lists names rest others)
  | _ -> fail "wrong number of arguments"

(* Every result, the last argument changing fastest. *)
let rec product : type f r. (f, r) lists -> f -> (r -> unit) -> unit =
 fun lists f emit ->
  match lists with
  | No -> emit f
  | More (values, rest) -> List.iter (fun x -> product rest (f x) emit) values

let ( @-> ) kind rest = Cons (kind, rest)

(* The model. One line is one definition. *)
let table =
  let fn name args result f = (name, Op (args, result, f)) in
  [
    (* Dim.v *)
    fn "dim_leb" (dim @-> dim @-> Nil) bool dim_leb;
    fn "dim_join" (dim @-> dim @-> Nil) dim dim_join;
    fn "dimb_leb" (dimb @-> dimb @-> Nil) bool dimb_leb;
    fn "dimb_meet" (dimb @-> dimb @-> Nil) dimb dimb_meet;
    fn "dimb_join" (dimb @-> dimb @-> Nil) dimb dimb_join;
    fn "coversb" (dimb @-> dimb @-> Nil) bool coversb;
    (* Row.v *)
    fn "rank" (row @-> Nil) nat rank;
    fn "flat" (row @-> Nil) dims flat;
    fn "expansion" (row @-> nat @-> Nil) (option dims) expansion;
    fn "row_leb" (row @-> row @-> Nil) bool row_leb;
    fn "row_join" (row @-> row @-> Nil) row row_join;
    fn "row_eqb" (row @-> row @-> Nil) bool row_eqb;
    fn "flat_equivb" (row @-> row @-> Nil) bool flat_equivb;
    (* Rigid.v *)
    fn "rank2" (row2 @-> Nil) nat rank2;
    fn "flat2" (row2 @-> Nil) dims flat2;
    fn "row2_leb" (row2 @-> row2 @-> Nil) bool row2_leb;
    fn "oneshotb" (row2 @-> row2 @-> Nil) bool oneshotb;
    fn "row2_join" (row2 @-> row2 @-> Nil) (option row2) row2_join;
    fn "minimal_uppers" (row2 @-> row2 @-> Nil) (list_of row2) minimal_uppers;
    (* Term.v *)
    fn "vars" (term @-> Nil) variables vars;
    fn "apply" (bindings @-> term @-> Nil) term (fun s -> apply (subst_of s));
    fn "sub_c" (bindings @-> constr @-> Nil) constr (fun s -> sub_c (subst_of s));
    fn "compose" (bindings @-> bindings @-> Nil) bindings compose;
    fn "domain" (bindings @-> Nil) variables domain;
    fn "range_vars" (bindings @-> Nil) variables range_vars;
    fn "idempotentb" (bindings @-> Nil) bool idempotentb;
    fn "subst_eqb" (bindings @-> bindings @-> Nil) bool subst_eqb;
    fn "subst_leb" (bindings @-> bindings @-> Nil) bool subst_leb;
    fn "witness_on" (variables @-> bindings @-> bindings @-> Nil) (option bindings) witness_on;
    (* Semantics.v *)
    fn "holdsb" (values @-> constr @-> Nil) bool (fun g -> holdsb (ground_of g));
    fn "value_d" (values @-> bindings @-> dterm @-> Nil) dim value_d;
    fn "value_r" (values @-> bindings @-> rterm @-> Nil) row value_r;
    fn "modelled" (bindings @-> constrs @-> Nil) bool modelled;
  ]
