(* The solver of Solver.v, run: every step, how the run ends, and what is left. For the comparison with
   core/calculus step by step (../README.md, "The bridge"). *)

open Extracted
open Wire

let rule_name = function
  | DE_refl -> "DE-refl" | DE_clash -> "DE-clash" | DE_bind -> "DE-bind"
  | DI_top -> "DI-top" | DI_refl -> "DI-refl" | DI_ground -> "DI-ground" | DI_pin -> "DI-pin"
  | DI_pin_top -> "DI-pin-top" | DI_cap -> "DI-cap" | DI_antisym -> "DI-antisym" | DI_adj -> "DI-adj"
  | RE_closed -> "RE-closed" | RE_open_closed -> "RE-open-closed" | RE_nested -> "RE-nested"
  | RE_cross -> "RE-cross" | RE_same_empty -> "RE-same-empty" | RE_same_occurs -> "RE-same-occurs"
  | RE_same_rot -> "RE-same-rot"
  | RI_cap -> "RI-cap" | RI_refl -> "RI-refl" | RI_closed_op -> "RI-closed-op"
  | RI_short_closed -> "RI-short-closed" | RI_deficit -> "RI-deficit"

let failed_by = function
  | By_rule rule -> rule_name rule
  | By_lead -> "RG-lead"
  | By_trail -> "RG-trail"
  | By_rank -> "RG-rank"

(* A variable that the solver made is called by its number. *)
let name_of names var =
  match Hashtbl.find_opt names.shown var with
  | Some name -> name
  | None ->
    let name = Printf.sprintf "?%d" (int_of_nat (number_of var)) in
    Hashtbl.add names.shown var name;
    name

(* Every variable that occurs gets a name before it is written. *)
let named names vars = List.iter (fun var -> ignore (name_of names var)) vars

let write_constr names out c =
  named names (vars_c c);
  let pair relation write x y =
    Printf.bprintf out "{\"%s\":[" relation;
    write names out x;
    Buffer.add_char out ',';
    write names out y;
    Buffer.add_string out "]}"
  in
  match c with
  | DEq (t, u) -> pair "eq" Ops.write_dterm t u
  | DLe (t, u) -> pair "le" Ops.write_dterm t u
  | REq (r, q) -> pair "eq" Ops.write_rterm r q
  | RLe (r, q) -> pair "le" Ops.write_rterm r q

let write_option write out = function None -> Buffer.add_string out "null" | Some x -> write x

(* x ↦ T, as a list of two. *)
let write_pair names out var value =
  named names (var :: vars value);
  Buffer.add_char out '[';
  Json.write_string out (name_of names var);
  Buffer.add_char out ',';
  Ops.write_term names out value;
  Buffer.add_char out ']'

let write_binding names out b = write_pair names out (bound_var b) (bound_value b)

let write_did names out { d_rule; d_on; d_tainted; d_effect = { emits; binds; stores; again }; d_placed } =
  Printf.bprintf out "{\"rule\":\"%s\",\"on\":" (rule_name d_rule);
  write_constr names out d_on;
  Printf.bprintf out ",\"tainted\":%b,\"emits\":" d_tainted;
  Json.write_list out (write_constr names out) emits;
  Buffer.add_string out ",\"binds\":";
  write_option (write_binding names out) out binds;
  Printf.bprintf out ",\"placed\":%b,\"stores\":" d_placed;
  Json.write_list out (write_constr names out) stores;
  Printf.bprintf out ",\"again\":%b}" again

let int_of_z z =
  let rec positive = function XH -> 1 | XO p -> 2 * positive p | XI p -> (2 * positive p) + 1 in
  match z with Z0 -> 0 | Zpos p -> positive p | Zneg p -> - (positive p)

let write_vertex names out = function
  | None -> Buffer.add_string out "0"
  | Some p -> Json.write_string out (name_of names (RV p))

let write_fact names out ({ greater; lesser; weight }, tainted) =
  Buffer.add_char out '[';
  write_vertex names out greater;
  Buffer.add_char out ',';
  write_vertex names out lesser;
  Printf.bprintf out ",%d,%b]" (int_of_z weight) tainted

let write_facts names out { s_leads; s_trails; s_ranks; _ } =
  let facts key facts =
    Printf.bprintf out ",\"%s\":" key;
    Json.write_list out (write_fact names out) facts
  in
  facts "leads" s_leads;
  facts "trails" s_trails;
  facts "ranks" s_ranks

let write_tagged names out (c, tainted) =
  Buffer.add_char out '[';
  write_constr names out c;
  Printf.bprintf out ",%b]" tainted

let standing_name = function Entailed -> "entailed" | Content -> "content" | Policy_choice -> "policy"

(* σ: each bound variable with its value under all later bindings, in the order they were bound. *)
let write_state names out state =
  let bound = List.rev state.s_sigma in
  let sigma = s_subst state in
  let write (binding, standing) =
    let var = bound_var binding in
    let value = apply sigma (var_term var) in
    Buffer.add_char out '[';
    write_pair names out var value;
    Printf.bprintf out ",\"%s\"]" (standing_name standing)
  in
  Buffer.add_string out "\"sigma\":";
  Json.write_list out write bound;
  Buffer.add_string out ",\"store\":";
  Json.write_list out (write_tagged names out) state.s_store;
  write_facts names out state

let write_failure names out { f_by; f_on; f_tainted } =
  Printf.bprintf out "{\"by\":\"%s\",\"on\":" (failed_by f_by);
  write_constr names out f_on;
  Printf.bprintf out ",\"tainted\":%b}" f_tainted

(* The policy of a request, as in spec/protocol.md, and whether DI-antisym is among the rules. *)
let n_of_text text =
  match Int64.of_string_opt ("0u" ^ text) with
  | None -> fail "%s is not a seed" text
  | Some 0L -> N0
  | Some _ -> Npos (size (Json.Number text))

let policy json =
  let it = match json with None -> [] | Some json -> under "policy" fields json in
  under "policy" (only [ "guard"; "strategy"; "seed"; "antisym" ]) it;
  let text key default read =
    match List.assoc_opt key it with
    | None -> read default
    | Some (Json.String text) -> under "policy" (under key read) text
    | Some _ -> under "policy" (under key fail) "expected a name"
  in
  let seed =
    match List.assoc_opt "seed" it with
    | None -> N0
    | Some (Json.Number text) when is_whole text -> under "policy" (under "seed" n_of_text) text
    | Some _ -> under "policy" (under "seed" fail) "expected a whole number"
  in
  let guard = text "guard" "signed" (function
    | "signed" -> Signed | "paper" -> Paper | "none" -> NoGuard | other -> fail "there is no guard %S" other) in
  let order = text "strategy" "fifo" (function
    | "fifo" -> Fifo | "lifo" -> Lifo | "rounds" -> Rounds | "random" -> Random seed
    | other -> fail "there is no strategy %S" other) in
  let antisym = match List.assoc_opt "antisym" it with Some (Json.Bool b) -> b | _ -> true in
  { guard; antisym; order }

(* Variables in the order given: their numbers are those of the other side. *)
let declare names json =
  let one json =
    match term names ~fresh:true json with
    | D (DVar _) | R { tlead = []; tmid = Some _; ttrail = [] } -> ()
    | _ -> fail "expected a variable"
  in
  ignore (numbered one (list json))

(* How a run goes: under the signed guard to its end, else so many steps. *)
let run policy steps state =
  match policy.guard with
  | Signed -> let did, last = run_from policy state in (did, Some last)
  | Paper | NoGuard -> run_for policy steps state

let derivation names out policy steps phi =
  let did, last = run policy steps (started policy names.next_var phi) in
  Buffer.add_string out "{\"steps\":";
  Json.write_list out (write_did names out) did;
  (match last with
   | None -> Buffer.add_string out ",\"end\":\"limit\""
   | Some (Solved_at state) ->
     Buffer.add_string out ",\"end\":\"solved\",";
     write_state names out state
   | Some (Failed_at (state, failure)) ->
     Buffer.add_string out ",\"end\":\"failed\",\"failure\":";
     write_failure names out failure;
     write_facts names out state);
  Buffer.add_char out '}'

(* Systems, each over the same variables: {"vars":[…],"systems":[[constraint,…],…],"policy":{…},"steps":n}.
   [steps] counts where a run may not end. *)
let answer it out =
  only [ "id"; "op"; "vars"; "systems"; "policy"; "steps" ] it;
  let policy = policy (List.assoc_opt "policy" it) in
  let steps = under "steps" index (field it "steps") in
  let one json =
    let names = new_names () in
    under "vars" (declare names) (field it "vars");
    let phi = numbered (constr names ~fresh:true) (list json) in
    derivation names out policy steps phi
  in
  Buffer.add_string out "\"verdict\":\"values\",\"values\":";
  Json.write_list out (under "systems" one) (under "systems" list (field it "systems"))
