#!/usr/bin/env python3
"""Changes one definition at a time, and says what notices.

For each change a copy of coq/ is compiled. If every file still compiles, the model is built from the copy and asked
the requests of tests/conformance: what it answers differently from the unchanged model is what the bridge would find,
since the unchanged model answers as core does. A change that nothing notices makes the exit status 1.

  make -C coq all model && ./mutants.py [--jobs N] [NAME ...]
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COQ = HERE / "coq"

# Name, file of definitions, what stands there, what is put in its place.
MUTANTS = [
    # 4.2: the rules for dimensions.
    ("DE-bind binds nothing", "Rules", "Definition de_bind (a : dvar) (t : dterm) : outcome := emit_bind [] (BindD a t).",
     "Definition de_bind (a : dvar) (t : dterm) : outcome := discard."),
    ("DI-ground never fails", "Rules", "if dim_leb d e then discard else Fails.", "if dim_leb d e then discard else discard."),
    ("DI-pin pins at 1∅", "Rules", "Definition di_pin (a : dvar) (d : dim) : outcome := replace (DEq (DVar a) (DConst d)).",
     "Definition di_pin (a : dvar) (d : dim) : outcome := replace (DEq (DVar a) (DConst Unit))."),
    ("DI-pin-top does nothing", "Rules", "Definition di_pin_top (a : dvar) : outcome := replace (DEq (DVar a) (DConst Unit)).",
     "Definition di_pin_top (a : dvar) : outcome := discard."),
    ("DI-cap drops a second atom", "Rules", "| Some e => if dim_eqb e d then discard else replace (DEq (DVar a) (DConst Unit))",
     "| Some e => if dim_eqb e d then discard else discard"),
    ("DI-cap keeps nothing", "Rules", "| None => keep (DLe (DConst d) (DVar a))", "| None => discard"),
    ("DI-antisym keeps an adjacency", "Rules", "Definition di_antisym (a b : dvar) : outcome := replace (DEq (DVar a) (DVar b)).",
     "Definition di_antisym (a b : dvar) : outcome := keep (DLe (DVar a) (DVar b))."),
    ("DI-adj keeps nothing", "Rules", "Definition di_adj (a b : dvar) : outcome := keep (DLe (DVar a) (DVar b)).",
     "Definition di_adj (a b : dvar) : outcome := discard."),
    # 4.3: the rules for rows.
    ("RE-closed does not compare ranks", "Rules",
     "if Nat.eqb (length (tflat R)) (length (tflat S)) then emit (equalities (tflat R) (tflat S)) else Fails.",
     "emit (equalities (tflat R) (tflat S))."),
    ("placement always at the left edge", "Rules", "then length (tlead closed) else length (tlead open).",
     "then length (tlead open) else length (tlead open)."),
    ("RE-open-closed forgets the trailing axes", "Rules",
     "equalities (ttrail open) (skipn (length (tflat closed) - length (ttrail open)) (tflat closed)).", "[]."),
    ("RE-nested binds to the other side whole", "Rules", "emit_bind (outer R S) (BindR p (strip S R)).",
     "emit_bind (outer R S) (BindR p S)."),
    ("RE-nested forgets what faces each other", "Rules", "emit_bind (outer R S) (BindR q (strip R S)).",
     "emit_bind [] (BindR q (strip R S))."),
    ("an equation is not deferred but dropped", "Rules", "emit_store (outer R S) (REq (strip R S) (strip S R)).",
     "emit (outer R S)."),
    ("RE-same-empty compares nothing", "Rules", "Definition re_same_empty (R S : rterm) : outcome := emit (outer R S).",
     "Definition re_same_empty (R S : rterm) : outcome := discard."),
    ("RE-same-occurs does not fail", "Rules", "fires used B (REq R S) RE_same_occurs Fails",
     "fires used B (REq R S) RE_same_occurs discard"),
    ("RI-cap stores nothing", "Rules", "emit_store (aligned res op) (RLe (residue res op) (rvar_term p)).",
     "emit (aligned res op)."),
    ("RI-refl compares nothing", "Rules", "Definition ri_refl (res op : rterm) : outcome := emit (aligned res op).",
     "Definition ri_refl (res op : rterm) : outcome := discard."),
    ("RI-closed-op compares nothing", "Rules", "Definition ri_closed_op (res op : rterm) : outcome := emit (aligned res op).",
     "Definition ri_closed_op (res op : rterm) : outcome := discard."),
    ("RI-short-closed does not fail", "Rules", "fires used B (RLe res op) RI_short_closed Fails",
     "fires used B (RLe res op) RI_short_closed discard"),
    ("RI-deficit grows at the front only", "Rules", "grow (BindR p (grown al q be)).", "grow (BindR p (grown al q []))."),
    ("inequalities face axes from the front", "Rules",
     "inequalities (skipn (length (ttrail res) - length (ttrail op)) (ttrail res)) (ttrail op).",
     "inequalities (ttrail res) (ttrail op)."),
    # 4.5, R1: the guard.
    ("a leading fact has the other sign", "Guard", "Fact (tmid res) (tmid op) (len (tlead op) - len (tlead res)).",
     "Fact (tmid res) (tmid op) (len (tlead res) - len (tlead op))."),
    ("a trailing fact has weight 0", "Guard", "Fact (tmid res) (tmid op) (len (ttrail op) - len (ttrail res)).",
     "Fact (tmid res) (tmid op) 0."),
    ("a binding bounds a leading length below only", "Guard",
     "[Fact (Some p) (tmid R) (len (tlead R)); Fact (tmid R) (Some p) (- len (tlead R))]",
     "[Fact (Some p) (tmid R) (len (tlead R))]"),
    ("a binding bounds a trailing length above only", "Guard",
     "[Fact (Some p) (tmid R) (len (ttrail R)); Fact (tmid R) (Some p) (- len (ttrail R))]",
     "[Fact (tmid R) (Some p) (- len (ttrail R))]"),
    ("positive cycles are looked for in too few rounds", "Cycle", "negb (settles (S (length (vertices fs))) fs []).",
     "negb (settles 2 fs [])."),
    # 4.1, 4.4: configurations, re-emission, order.
    ("deferred equations never return", "Runs", "| RV p, REq R Q => is_mid p (tmid R) || is_mid p (tmid Q)\n  | _, _ => false",
     "| RV p, REq R Q => false\n  | _, _ => false"),
    ("caps below a bound variable never return", "Runs",
     "| RV p, RLe R Q => is_mid p (tmid Q) || (is_mid p (tmid R) && Nat.eqb (known_rank R) 0)",
     "| RV p, RLe R Q => is_mid p (tmid Q)"),
    ("a binding is not put into the store", "Runs",
     "(map (sub_c s) (add_bounds (filter (fun d => negb (stored_for x d)) (store C)) (stores e)))",
     "(add_bounds (filter (fun d => negb (stored_for x d)) (store C)) (stores e))"),
    ("bindings are composed the other way", "Runs", "(comp s (sigma C))", "(comp (sigma C) s)"),
    ("the same bound is stored twice", "Runs", "| d :: B' => if same_bound c d then B else d :: add_bound B' c",
     "| d :: B' => d :: add_bound B' c"),
    ("kinds of bounds return in another order", "Runs", "| k :: ks' => filter k l ++ by_kinds ks' (filter (fun x => negb (k x)) l)",
     "| k :: ks' => by_kinds ks' (filter (fun x => negb (k x)) l) ++ filter k l"),
    ("a placement taints nothing", "Taint", "(t || (pl && is_rleb (fst x))))).", "t))."),
    ("a placement taints equations", "Taint", "(t || (pl && is_rleb (fst x))))).", "(t || pl)))."),
    ("a firmer bound does not take away the tag", "Taint", "then (fst y, snd y && snd x) :: B'", "then (fst y, snd y) :: B'"),
    ("of two dimension variables the older is bound", "Fire", "de_bind (max a b) (DVar (min a b))", "de_bind (min a b) (DVar (max a b))"),
    ("of two row variables the older is bound", "Fire", "| 0, 0 => if q <? p then", "| 0, 0 => if p <? q then"),
    ("DI-antisym looks for a path the other way", "Fire", "path B b a else None", "path B a b else None"),
    ("the first placement taints no facts", "Solver", "note s' c (on_binding P b) (t || pl)", "note s' c (on_binding P b) t"),
    ("a constraint processed again waits its turn", "Solver", "if again e then push_now (order P) (c, tc) q else q",
     "if again e then push (order P) (c, tc) q else q"),
    ("a placed binding is called entailed", "Solver", "if t then Policy_choice else if pl then Content else Entailed.",
     "if t then Policy_choice else Entailed."),
    ("last in, first out takes the first", "Queue", "| Lifo =>\n          match rev (q_items q) with",
     "| Lifo =>\n          match q_items q with"),
    ("rounds are not reversed", "Queue", "take_front None [] (q_seed q) (rev (q_later q))", "take_front None [] (q_seed q) (q_later q)"),
    # 6.1, 6.3, 6.7: closing and deciding.
    ("holes win in a join", "Closing", "| None, z | z, None => z", "| None, _ | _, None => None"),
    ("a hole is filled with the atom 1", "Closing", "match x with Some d => d | None => Unit end.",
     "match x with Some d => d | None => Atom BinNums.xH 0 end."),
    ("a cap that is a bare variable writes", "Closing", "| Some _ => negb (Nat.eqb (known_rank R) 0) end.", "| Some _ => true end."),
    ("closing upward leaves dimensions open", "Closing",
     "match v with DV a => BindD a (DConst Unit) | RV p => BindR p (term_of empty_row) end.",
     "match v with DV a => BindD a (DVar a) | RV p => BindR p (term_of empty_row) end."),
    ("caps are not forwarded", "Close", "match caps_by K with Saturated => forward n s [] | Stored => Some (inl s) end.",
     "Some (inl s)."),
    ("readers that ask for nothing count as caps", "Close",
     "then match bare_of (fst cap) with Some _ => None | None => Some (Part [] []) end", "then Some (Part [] [])"),
    ("a parameter may have holes", "Close", "| h :: _ => if param then inr (RV p, Some h) else inl (value, CL_hole)",
     "| h :: _ => inl (value, CL_hole)"),
    ("words take all of s", "Close", "| Some j => j\n  | None => length s", "| Some j => length s\n  | None => length s"),
    ("the least demanding word first", "Close", "if demand b <? demand c then Some c else best",
     "if demand c <? demand b then Some c else best"),
    ("a commitment is not tagged", "Close", "add_all P s (tag_all true (map", "add_all P s (tag_all false (map"),
    ("lengths are not bounded above", "Decide", "if k <? m then ((p, k) :: fst x, true) else x", "x"),
    ("lengths of an equality need not agree", "Decide", "Nat.eqb (fst n + snd n) (fst m + snd m)", "true"),
    ("a search that was cut off is complete", "Decide", "| None => if cut then Unlooked else Unsatisfiable", "| None => Unsatisfiable"),
    # 5.5(iv): the left edge.
    ("a row at the left edge may have an axis before its marker", "Edge", "Definition edge_r (R : rterm) : Prop := tlead R = [].",
     "Definition edge_r (R : rterm) : Prop := length (tlead R) <= 1."),
    ("every value is at the left edge", "Edge", "Definition edge_row (V : row) : Prop := lead V = [].",
     "Definition edge_row (V : row) : Prop := True."),
    ("only stored inequalities are settled", "Edge", "Prop := t = u \\/ u = DConst Unit \\/ In (DLe t u) B.",
     "Prop := t = u \\/ In (DLe t u) B."),
    # 7.6(iii): a target that is an operand too.
    ("in place reads what was there before", "Alias", "fold_left (execute_in_place (loop_body P) g) xs",
     "fold_left (execute V op place (loop_body P) (g m)) xs"),
    ("the meaning reads what was erased", "Alias", "meaning V op e place erases xs (g m) m.",
     "meaning V op e place erases xs (g (if erases then fun _ => e else m)) m."),
    # 8.4: bounds of claims.
    ("bounds of sums are rounded outwards", "Bounds", "Definition up (c n : Z) : Z := - ((- n) / c).", "Definition up (c n : Z) : Z := n / c."),
    ("a sum with an open end is bounded by the others", "Bounds", "| Some x, Some y => Some (Limit (f (number x) (number y)) (rests x || rests y))\n  | _, _ => None",
     "| Some x, Some y => Some (Limit (f (number x) (number y)) (rests x || rests y))\n  | Some x, None => Some x\n  | None, _ => None"),
    ("an empty range is let pass", "Bounds", "then Refused (rests (least r) || rests m) else Narrowed (set_range R a r)",
     "then Narrowed R else Narrowed (set_range R a r)"),
    ("of two bounds one tag is forgotten", "Bounds", "Some (Limit (f (number x) (number y)) (rests x || rests y))",
     "Some (Limit (f (number x) (number y)) (rests x))"),
    ("a product with further axes is bounded", "Bounds", "if left && is_open k then None else side_of most",
     "if false then None else side_of most"),
    ("a part of a concatenation has another basis", "Bounds",
     "(1 <=? size v d) && (size v d =? plus (map (size v) parts)) && one_basisb v (d :: parts)",
     "(1 <=? size v d) && (size v d =? plus (map (size v) parts))"),
    ("what does not divide is let pass", "Bounds",
     "if number n mod number by_ =? 0 then Narrowed R else Refused (rests n || rests by_)", "Narrowed R"),
    ("an unknown on the right counts as 1", "Bounds", "match side_of only_known R false", "match side_of if_known R false"),
    ("an unknown factor has no equation", "Bounds", "  | Late u, Some n => [((number n - less, u), Limit 0 (rests n))]\n", ""),
    ("an unknown factor of a window counts once too often", "Bounds", "((number n - less, u), Limit 0 (rests n))",
     "((number n, u), Limit 0 (rests n))"),
    ("a coefficient with a name is on the left", "Bounds", "[(Limit 1 false, [(-1, a)])]", "[(Limit 1 false, [(1, a)])]"),
    ("an offset may be the stride", "Bounds", "factor_from (1 + Z.max 0 offset) stride t R", "factor_from (Z.max 1 offset) stride t R"),
    ("one element above an atom is all of it", "Bounds", "if 2 <=? number (least (R a)) then raise R a",
     "if 1 <=? number (least (R a)) then raise R a"),
    ("of a difference one tag is forgotten", "Cancel", "(rests k || rests k')", "(rests k)"),
    ("what is taken off is added", "Cancel", "number k - number k'", "number k + number k'"),
    # Ranged dimensions.
    ("a literal takes the label off", "Ranged", "if contains r v then Ok (Named n (exactly v))", "if contains r v then Ok (Literal v)"),
    ("ranges without a common size are met", "Ranged", "Some h => if h <? lo then None else Some (Range lo hi)",
     "Some h => Some (Range lo hi)"),
    ("two labels are one", "Ranged", "if negb (String.eqb n m) then Err (Name_mismatch n m)\n  else match", "match"),
    ("a merged class forgets a bound", "Ranged", "| Some x, None => Ok (Some x)", "| Some x, None => Ok None"),
    ("the younger variable stands for both", "Ranged", "let old := Nat.min ra rb in\n    let young := Nat.max ra rb in",
     "let old := Nat.max ra rb in\n    let young := Nat.min ra rb in"),
    ("a failed operation keeps what it wrote", "Ranged", "| (_, Err p) => (G, Err p)\n  end.", "| (G', Err p) => (G', Err p)\n  end."),
    ("a label of size 1 stretches", "Ranged", "match d with Literal v => v =? 1 | _ => false end.",
     "match size_of d with Some v => v =? 1 | None => false end."),
    ("shapes are aligned at their first axes", "Ranged",
     "if Nat.ltb (column + length part) rank then []\n  else match nth_error part (column + length part - rank) with Some d => [d] | None => [] end.",
     "match nth_error part column with Some d => [d] | None => [] end."),
    ("a product leaves its inner axes apart", "Ranged", "bind (unify G k1 k2) (fun G _ => (G, Ok [m; n]))", "(G, Ok [m; n])"),
    ("a concatenation has the largest size", "Ranged", "Definition plus (l : list N) : N := fold_right N.add 0 l.",
     "Definition plus (l : list N) : N := fold_right N.max 0 l."),
    ("a stack counts one operand too few", "Ranged", "Literal (N.of_nat (length shapes))", "Literal (N.of_nat (length rest))"),
    ("axes of one label are surely equal", "Ranged", "in (u', v', is_var d && c)", "in (u', v', c)"),
    ("-1 stands for a size that does not divide", "Ranged", "if nothing (unknown before) && negb divides then None\n  else if", "if"),
    ("what may differ leaves no obligation", "Ranged", "(if left_over || negb certain then Some (Obligation input given) else None)",
     "(if left_over then Some (Obligation input given) else None)"),
    ("a size of 0 passes", "Ranged", "if (n =? 0) || negb (contains (range_of d) n) then", "if negb (contains (range_of d) n) then"),
    ("a variable has two sizes", "Ranged", "Some m => if n =? m then verify_axes V ns s else (V, Err (Actual_size n d))",
     "Some m => verify_axes V ns s"),
    ("an axis without a bound has one", "Ranged", "with Some x, Some y => Some (f x y) | _, _ => None end",
     "with Some x, Some y => Some (f x y) | Some x, None => Some x | None, _ => None end"),
]


def requests():
    """The requests of the corpus that the model answers."""
    lines = []
    for path in sorted((HERE.parent / "tests/conformance").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            request = json.loads(line).get("request") if line else None
            if isinstance(request, dict) and request.get("op") in ("solve", "close", "decide", "check"):
                lines.append(json.dumps(request))
                if request["op"] == "solve" and "constraints" in request:
                    for strategy in ("lifo", "rounds"):
                        lines.append(json.dumps({**request, "policy": {"strategy": strategy}}))
    return lines


def answers(model, lines):
    """What a model answers, a line each."""
    try:
        asked = subprocess.run([model], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return ["it does not end"]
    return asked.stdout.splitlines()


def first_error(log):
    """The file at which a build stopped."""
    for line in log.splitlines():
        if line.startswith('File "'):
            return line.split('"')[1].removeprefix("./")
    return log.strip().splitlines()[-1] if log.strip() else "?"


def noticed(mutant, lines, expected):
    """What notices a change; nothing where it survives."""
    name, module, old, new = mutant
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "coq"
        shutil.copytree(COQ, copy, ignore=shutil.ignore_patterns("build", "html"), copy_function=shutil.copy2)
        path = copy / "definitions" / (module + ".v")
        text = path.read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{name}: {module}.v has this {text.count(old)} times:\n{old}")
        path.write_text(text.replace(old, new))
        built = subprocess.run(["make", "-f", "Makefile.coq"], cwd=copy, capture_output=True, text=True)
        if built.returncode != 0:
            return first_error(built.stderr)
        shutil.copytree(HERE / "extract", pathlib.Path(folder) / "extract")
        (copy / "build").mkdir()
        built = subprocess.run(["sh", "../extract/build.sh"], cwd=copy, capture_output=True, text=True)
        if built.returncode != 0:
            return "extraction"
        said = answers(copy / "build/lozenge-model", lines)
        differ = sum(1 for pair in zip(said, expected) if pair[0] != pair[1]) + abs(len(said) - len(expected))
        return f"the bridge ({differ} of {len(expected)} answers)" if differ else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("names", nargs="*", help="only the changes whose names have one of these in them")
    options = parser.parse_args()
    model = COQ / "build/lozenge-model"
    if not model.exists():
        raise SystemExit("mutants.py: first run make -C coq all model")
    lines = requests()
    expected = answers(model, lines)
    chosen = [m for m in MUTANTS if not options.names or any(n in m[0] for n in options.names)]
    survived = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutant, found in zip(chosen, pool.map(lambda m: noticed(m, lines, expected), chosen)):
            survived += found is None
            print(f"| {mutant[0]} | {mutant[1]}.v | {found or 'NOTHING'} |", flush=True)
    print(f"{len(chosen)} changes, {survived} survived", file=sys.stderr)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
