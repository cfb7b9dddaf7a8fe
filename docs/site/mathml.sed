# Spacing in pandoc's MathML as TeX has it, where browsers would have another: names of functions, signs, +=, the tilde, upright Greek capitals.
s#(</(mi|mn|msub|msup|mrow|mfrac|msqrt)>)<mo>(exp|log|max|min|sin|cos)</mo>#\1<mspace width="0.167em"></mspace><mo>\3</mo>#g
s#<mo>(exp|log|max|min|sin|cos)</mo>(<mrow>)?<mo ([^>]*)>\(#<mo lspace="0" rspace="0">\1</mo>\2<mo \3>(#g
s#<mo>(exp|log|max|min|sin|cos)</mo>#<mo lspace="0" rspace="0.167em">\1</mo>#g
s#(<mo>[=←,≥≤]</mo>|<mo [^>]*>\(</mo>)<mo>−</mo>#\1<mo form="prefix">−</mo>#g
s#<mo>\+</mo><mo>=</mo>#<mo>+=</mo>#g
s#<mo accent="true">̃</mo>#<mo accent="true">~</mo>#g
s#<mi>([ΓΔΘΛΞΠΣΦΨΩ])</mi>#<mi mathvariant="normal">\1</mi>#g
