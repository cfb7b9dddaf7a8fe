# A formula of docs/derivations in a terminal's letters: \frac{\hat{x}_i}{D} \tag{XX1} becomes xhat_i / D.
s/ *\\tag\{.*//
s/\\mathrel\{([^{}]*)\}/\1/g
s/\\_/_/g
s/\\leftarrow/<-/g
s/\\(math|l|r)Vert|\\[lr]Vert/|/g
s/\{\}|&|\$|\\[!,]|\\(left|right|mathcal)//g
s/\\;/ /g
s/\\q?quad */   /g
s/\\math(rm|bb)\{d\}/d/g
s/\\partial *(\\,)?/d/g
s/\\hat\{\\?([a-z]+)\}/\1hat/g
s/\\bar\{x\}/mean/g
s/\\tilde\{p\}/pd/g
s/\\langle */</g
s/ *\\rangle/>/g
s/\\mid/|/g
s/\\odot/*/g
s/ *\\cdot/ ./g
s/\\ge />= /g
s/\^\\top/^T/g
s/g'\^\{2\}_i/g'_i^2/g
:group
s/\\(mathrm|text)\{([^{}]*)\}/\2/
s/([_^])\{([A-Za-z0-9]*|\\max)\}/\1\2/g
s/([_^])\{([^{}]*[^{}A-Za-z0-9][^{}]*)\}/\1(\2)/g
s/\\sqrt\{([^{}]*)\}/sqrt(\1)/
s/\\frac\{([^{} ]*)\}\{([^{} ]*)\}/\1 \/ \2/g
s/\\frac\{([^{} ]*)\}\{([^{}]*)\}/\1 \/ (\2)/g
s/\\frac\{([^{}]*)\}\{([^{} ]*)\}/(\1) \/ \2/g
s/\\frac\{([^{}]*)\}\{([^{}]*)\}/(\1) \/ (\2)/g
s/\{([A-Z])\}/\1/
t group
s/\\varepsilon/eps/g
s/\\var//g
s/\\([A-Za-z]+)/\1/g
s/([a-z>]hat|g)(xhat)/\1 \2/g
s/([^ ])  ([^ ])/\1 \2/g
s/r\(g/r (g/
s/ +([,)])/\1/g
s/^ +//
