(* The operations solve, close and decide of the protocol (spec/protocol.md), answered by the programs of
   Solver.v, Close.v and Decide.v. Messages and witnesses of rejections are left out. *)

open Extracted
open Wire

(* Under another guard than the signed one a run may not end: so many steps are taken. *)
let most_steps = nat_of_int 2_000

(* Rounds of closing, far more than there are variables: it ends by itself (6.2). *)
let most_rounds = nat_of_int 100_000

exception Cut_off

let run policy state =
  match Derivation.run policy most_steps state with
  | _, Some last -> last
  | _, None -> raise Cut_off

(* Constraints, with the names in them; σ and values on the wire. *)
let read_constraints it =
  let names = new_names () in
  let phi = under "constraints" (constrs names) (field it "constraints") in
  (names, phi)

let evidence it =
  let flag key =
    match List.assoc_opt key it with
    | None | Some (Json.Bool _) -> ()
    | Some _ -> under key fail "expected true or false"
  in
  flag "trace";
  flag "certificate"

let limits it =
  match List.assoc_opt "limits" it with
  | None -> ()
  | Some json ->
    let read json =
      let it = fields json in
      only [ "fuel"; "rank"; "elements"; "points" ] it;
      List.iter (fun (key, json) -> under key (function
        | Json.Number text when is_whole text -> ()
        | _ -> fail "expected a whole number") json) it
    in
    under "limits" read json

let write_named names out write entries =
  Json.write_object out write (List.map (fun (var, value) -> (Derivation.name_of names var, value)) entries)

let write_value names out value =
  Derivation.named names (vars value);
  Ops.write_term names out value

let write_values names out phi g =
  let value var = (var, bound_value (value_at g var)) in
  write_named names out (write_value names out) (List.map value (sort_vars (List.concat_map vars_c phi)))

let write_residual names out store =
  let lowers = List.filter_map (function DLe (DConst d, DVar a), _ -> Some (DV a, TD (DConst d)) | _ -> None) store in
  let lowers = List.sort (fun (v, _) (w, _) -> compare (int_of_nat (number_of v)) (int_of_nat (number_of w))) lowers in
  let rows = List.filter_map (function RLe (r, { tmid = Some p; _ }), _ -> Some (RV p, TR r) | _ -> None) store in
  let below = List.filter_map (function DLe (DVar a, DVar b), _ -> Some [ DV a; DV b ] | _ -> None) store in
  let deferred = List.filter_map (function (REq _ as c), _ -> Some c | _ -> None) store in
  Buffer.add_string out "{\"caps\":";
  Json.write_list out
    (fun (var, bound) ->
       Buffer.add_string out "{\"var\":";
       Json.write_string out (Derivation.name_of names var);
       Buffer.add_string out ",\"bound\":";
       write_value names out bound;
       Buffer.add_char out '}')
    (lowers @ rows);
  Buffer.add_string out ",\"below\":";
  Json.write_list out (Json.write_list out (fun var -> Json.write_string out (Derivation.name_of names var))) below;
  Buffer.add_string out ",\"deferred\":";
  Json.write_list out (Derivation.write_constr names out) deferred;
  Buffer.add_char out '}'

let write_failure names out { f_by; f_on; f_tainted } =
  Printf.bprintf out "\"verdict\":\"%s\",\"rule\":\"%s\",\"constraint\":"
    (if f_tainted then "rejected" else "unsat") (Derivation.failed_by f_by);
  Derivation.write_constr names out f_on

let limited out = Buffer.add_string out "\"verdict\":\"limit\",\"which\":\"fuel\""

let solve it out =
  only [ "id"; "op"; "constraints"; "policy"; "limits"; "trace"; "certificate" ] it;
  let names, phi = read_constraints it in
  let policy = Derivation.policy (List.assoc_opt "policy" it) in
  limits it;
  evidence it;
  match run policy (started policy names.next_var phi) with
  | exception Cut_off -> limited out
  | Failed_at (_, failure) -> write_failure names out failure
  | Solved_at state ->
    let sigma = s_subst state in
    let bound = List.rev_map (fun (b, _) -> let var = bound_var b in (var, apply sigma (var_term var))) state.s_sigma in
    Buffer.add_string out "\"verdict\":\"solved\",\"sigma\":";
    write_named names out (write_value names out) bound;
    Buffer.add_string out ",\"residual\":";
    write_residual names out state.s_store;
    Buffer.add_string out ",\"greatest\":";
    let g = greatest sigma in
    if solb phi g then write_values names out phi g else Buffer.add_string out "null"

let close_rule = function
  | CL_leaf -> "CL-leaf" | CL_hole -> "CL-hole" | CL_word -> "CL-word" | CL_bare -> "CL-bare" | CL_up -> "CL-up"

let write_assumption names out { a_binding; a_rule; a_within } =
  let var = bound_var a_binding in
  Buffer.add_string out "{\"var\":";
  Json.write_string out (Derivation.name_of names var);
  Buffer.add_string out ",\"value\":";
  write_value names out (bound_value a_binding);
  Printf.bprintf out ",\"rule\":\"%s\"" (close_rule a_rule);
  (match a_within with
   | None -> ()
   | Some var -> Buffer.add_string out ",\"within\":"; Json.write_string out (Derivation.name_of names var));
  Buffer.add_char out '}'

(* Names of variables that the constraints have. *)
let tagged names it key =
  let one = function
    | Json.String text ->
      (match Hashtbl.find_opt names.vars text with
       | Some var -> var
       | None -> fail "%s is not a variable of the constraints" text)
    | _ -> fail "expected the name of a variable"
  in
  match List.assoc_opt key it with
  | None -> []
  | Some json -> under key (fun json -> numbered one (list json)) json

let closing names policy closing_policy phi tags =
  let run state =
    match run policy state with
    | Solved_at state -> Some (Inl state)
    | Failed_at (_, failure) -> Some (Inr failure)
  in
  close_within policy closing_policy run (fun vars -> vars) phi tags most_rounds
    (started policy names.next_var phi)

let close it out =
  only [ "id"; "op"; "constraints"; "leaves"; "params"; "policy"; "limits" ] it;
  let names, phi = read_constraints it in
  let params = tagged names it "params" in
  let leaves = tagged names it "leaves" @ params in
  let policy = Derivation.policy (List.assoc_opt "policy" it) in
  limits it;
  let closing_policy = { caps_by = Saturated; words_by = Least_material } in
  match closing names policy closing_policy phi { leaves; params } with
  | exception Cut_off | Unfinished -> limited out
  | Failed_with (failure, _) -> write_failure names out failure
  | Hole_at (var, place) ->
    Printf.bprintf out "\"verdict\":\"error\",\"rule\":\"%s\",\"var\":"
      (match place with Some _ -> "CL-hole" | None -> "CL-bare");
    Json.write_string out (Derivation.name_of names var);
    Buffer.add_string out ",\"uses\":";
    Json.write_list out (fun i -> Printf.bprintf out "%d" (int_of_nat i)) (uses phi var)
  | Closed_at (state, assumptions) ->
    Buffer.add_string out "\"verdict\":\"closed\",\"values\":";
    write_values names out phi (greatest (s_subst state));
    Buffer.add_string out ",\"assumptions\":";
    Json.write_list out (write_assumption names out) assumptions

let decide it out =
  only [ "id"; "op"; "constraints"; "rank_bound"; "policy"; "limits" ] it;
  let names, phi = read_constraints it in
  let policy = Derivation.policy (List.assoc_opt "policy" it) in
  limits it;
  let rank_bound =
    match List.assoc_opt "rank_bound" it with
    | None -> nat_of_int 6
    | Some json -> under "rank_bound" index json
  in
  let answers n phi =
    answer_of phi (verdict_of (run policy (started policy n phi)))
  in
  match decide answers phi names.next_var rank_bound with
  | Unsatisfiable -> Buffer.add_string out "\"verdict\":\"unsat\""
  | exception Cut_off | Unlooked | Stuck -> Printf.bprintf out "\"verdict\":\"unknown\",\"rank_bound\":%d" (int_of_nat rank_bound)
  | Satisfied g ->
    Buffer.add_string out "\"verdict\":\"sat\",\"values\":";
    write_values names out phi g
