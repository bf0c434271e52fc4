/** LaTeX commands that stand for one character or a short text. */
export const SYMBOLS: Readonly<Record<string, string>> = Object.fromEntries(
  `
  alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ
  omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
  Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
  sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀
  partial ∂ nabla ∇ infty ∞ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ beth ℶ wp ℘ emptyset ∅ varnothing ∅ imath ı jmath ȷ
  pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡ amalg ⨿
  cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧ setminus ∖ wr ≀ diamond ⋄ triangle △ Box □ square □ blacksquare ■
  leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ doteq ≐ asymp ≍ prec ≺ succ ≻ preceq ⪯ succeq ⪰
  leqslant ⩽ geqslant ⩾ lesssim ≲ gtrsim ≳ triangleq ≜ models ⊨ vdash ⊢ dashv ⊣ perp ⊥ bot ⊥ top ⊤ parallel ∥ mid ∣ nmid ∤ bowtie ⋈
  in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ sqsubseteq ⊑ sqsupseteq ⊒
  forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ therefore ∴ because ∵ angle ∠ measuredangle ∡ degree ° prime ′ backprime ‵ checkmark ✓
  leftarrow ← gets ← rightarrow → to → leftrightarrow ↔ uparrow ↑ downarrow ↓ updownarrow ↕ Leftarrow ⇐ Rightarrow ⇒ Leftrightarrow ⇔ Uparrow ⇑ Downarrow ⇓
  longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ Longleftarrow ⟸ longleftrightarrow ⟷ Longleftrightarrow ⟺ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼
  hookrightarrow ↪ hookleftarrow ↩ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ rightharpoonup ⇀ leftharpoonup ↼ rightleftharpoons ⇌ leadsto ⇝
  ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ dotso …
  langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | Vert ‖ lVert ‖ rVert ‖ lbrace { rbrace } lbrack [ rbrack ] backslash \\
  colon : And & S § P ¶ copyright © pounds £ euro € yen ¥ AA Å aa å ae æ AE Æ oe œ OE Œ o ø O Ø ss ß l ł L Ł
  clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ flat ♭ natural ♮ sharp ♯ complement ∁ eth ð mho ℧ Finv Ⅎ surd √
  `
    .trim()
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, index, words) => {
      if (index % 2 === 0) pairs.push([word, words[index + 1] as string]);
      return pairs;
    }, []),
);

/** Functions that LaTeX writes upright, by their names. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim limsup liminf max min sup inf det dim ker hom deg arg gcd Pr argmax argmin tr rank sgn".split(
    " ",
  ),
);

/** Commands that set an accent above or below: the combining character that does so. */
export const ACCENTS: Readonly<Record<string, string>> = {
  hat: "\u0302",
  widehat: "\u0302",
  tilde: "\u0303",
  widetilde: "\u0303",
  bar: "\u0304",
  overline: "\u0305",
  underline: "\u0332",
  vec: "\u20d7",
  overrightarrow: "\u20d7",
  dot: "\u0307",
  ddot: "\u0308",
  dddot: "\u20db",
  check: "\u030c",
  breve: "\u0306",
  acute: "\u0301",
  grave: "\u0300",
  mathring: "\u030a",
};

/** Raised characters that Unicode has. */
export const SUPERSCRIPTS: Readonly<Record<string, string>> = pairs(
  "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδεθιφχ−′*⋅∘",
  "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵋᶿᶥᵠᵡ⁻′*˙°",
);

/** Lowered characters that Unicode has. */
export const SUBSCRIPTS: Readonly<Record<string, string>> = pairs(
  "0123456789+-=()aehijklmnoprstuvxβγρφχ−",
  "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ₋",
);

/** The first letters of Unicode's mathematical alphabets (chapter "Letterlike Symbols"), and the letters that stand elsewhere. */
export const ALPHABETS: Readonly<
  Record<string, { upper: number; lower?: number; digit?: number; except?: Record<string, string> }>
> = {
  mathbf: { upper: 0x1d400, lower: 0x1d41a, digit: 0x1d7ce },
  boldsymbol: { upper: 0x1d400, lower: 0x1d41a, digit: 0x1d7ce },
  bm: { upper: 0x1d400, lower: 0x1d41a, digit: 0x1d7ce },
  mathbb: { upper: 0x1d538, lower: 0x1d552, digit: 0x1d7d8, except: pairs("CHNPQRZ", "ℂℍℕℙℚℝℤ") },
  mathcal: { upper: 0x1d49c, except: pairs("BEFHILMR", "ℬℰℱℋℐℒℳℛ") },
  mathscr: { upper: 0x1d49c, except: pairs("BEFHILMR", "ℬℰℱℋℐℒℳℛ") },
  mathfrak: { upper: 0x1d504, lower: 0x1d51e, except: pairs("CHIRZ", "ℭℌℑℜℨ") },
};

function pairs(from: string, to: string): Record<string, string> {
  const targets = [...to];
  return Object.fromEntries([...from].map((character, index) => [character, targets[index] as string]));
}
