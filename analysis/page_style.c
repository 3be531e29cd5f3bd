/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The style sheet of all pages.  Colours are variables, so that light, dark and
 * paper differ in one place each; text on any of them has a contrast of 4.5 to
 * 1 and more.  What a colour says, a pattern, a letter or a number says too.
 */
#include "report.h"

#define DARK_COLOURS \
	"--back:#14171c;--text:#e8eaee;--soft:#a9b1bd;--line:#3a414d;" \
	"--link:#8ec1ff;--mark:#ffd75e;--panel:#1c2027;" \
	"--first:#6fa8e8;--second:#e0a35c;--third:#3f6796;--fourth:#8a6230;" \
	"--tint:#27425f;--tint2:#1d3248;--rest:#333b47;--wait:#6b4116;" \
	"--h1:#2a2523;--h2:#3a2c24;--h3:#4a3324;--h4:#5b3a23;--h5:#6d4221;" \
	"--h6:#7f4a1e;--h7:#92521a;--h8:#a55a14;--found:#d9a2ff"

#define LIGHT_COLOURS \
	"--back:#fff;--text:#1a1d21;--soft:#535b66;--line:#c9ced6;" \
	"--link:#0b57a4;--mark:#a33c00;--panel:#f5f6f8;" \
	"--first:#2565ae;--second:#b35a00;--third:#a9c8ea;--fourth:#eec592;" \
	"--tint:#c5dbf2;--tint2:#e0ecf8;--rest:#dfe2e7;--wait:#f7d3ad;" \
	"--h1:#fdf3e7;--h2:#fce9d3;--h3:#fadebd;--h4:#f8d2a6;--h5:#f6c68f;" \
	"--h6:#f3ba79;--h7:#f0ad63;--h8:#ec9f4d;--found:#8a2be2"

const char page_style[] =
	":root{color-scheme:light dark;" LIGHT_COLOURS "}\n"
	"@media (prefers-color-scheme:dark){:root{" DARK_COLOURS "}}\n"
	"*{box-sizing:border-box}[hidden]{display:none!important}\n"
	"body{margin:0;background:var(--back);color:var(--text);"
	"font:16px/1.5 system-ui,sans-serif}\n"
	"main,nav,footer{max-width:76rem;margin:0 auto;padding:0 1rem}\n"
	"nav{padding-top:.75rem}nav a{margin-right:1rem}\n"
	"a{color:var(--link)}\n"
	"h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.3rem;"
	"margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line)}"
	"h3{font-size:1.08rem;margin:1.6rem 0 .4rem}\n"
	"h1,h2,h3,p,dd,td,th,li{overflow-wrap:anywhere}\n"
	":focus-visible{outline:3px solid var(--mark);outline-offset:1px}\n"
	".skip{position:absolute;left:-999px}"
	".skip:focus{left:1rem;top:.5rem;background:var(--back);"
	"padding:.3rem .6rem;z-index:1}\n"
	".note,.soft,figcaption,footer{color:var(--soft)}"
	"figcaption,p.soft,footer{font-size:.9rem}\n"
	".scroll{overflow-x:auto;max-width:100%}\n"
	"figure{margin:1rem 0}\n"
	"table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0;"
	"font-variant-numeric:tabular-nums}"
	"caption{text-align:left;font-weight:600;padding:.3rem 0}"
	"th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);"
	"text-align:left;vertical-align:top;overflow-wrap:normal}"
	"thead th{border-bottom:2px solid var(--soft)}"
	"td.n{text-align:right;white-space:nowrap}"
	"tbody th{font-weight:500}\n"
	"details{margin:.6rem 0}summary{cursor:pointer;font-weight:600;"
	"padding:.2rem 0}\n"
	"details.pair{border:1px solid var(--line);border-radius:6px;"
	"padding:.2rem .8rem}\n"
	"pre{background:var(--panel);border:1px solid var(--line);"
	"padding:.7rem;overflow-x:auto;font-size:.85rem;line-height:1.4}\n"
	"code{font-family:ui-monospace,monospace;font-size:.92em;"
	"overflow-wrap:anywhere}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;"
	"font-size:.95rem}dt{font-weight:600}dd{margin:0}\n"
	"@media (max-width:36rem){dl{grid-template-columns:1fr}"
	"dd{margin-bottom:.4rem}}\n"
	"input,button,select{font:inherit;color:var(--text);"
	"background:var(--back);border:1px solid var(--soft);"
	"border-radius:4px;padding:.3rem .6rem}\n"
	"form{margin:.6rem 0;display:flex;flex-wrap:wrap;gap:.5rem;"
	"align-items:center}form.table{display:block}.table td{white-space:nowrap}\n"
	"progress{width:12rem;max-width:60%}\n"
	"svg{display:block;max-width:none;background:var(--back)}"
	"svg.fit{width:100%;height:auto;min-width:34rem;max-width:60rem}"
	"svg text{fill:var(--text);font:11px system-ui,sans-serif}"
	"svg .soft{fill:var(--soft)}"
	"svg .middle{text-anchor:middle}svg .end{text-anchor:end}"
	"svg .strong{font-weight:600}"
	"svg .axis{stroke:var(--soft);stroke-width:1}"
	"svg .grid{stroke:var(--line);stroke-width:1}\n"
	".s0{fill:var(--first)}.s1{fill:var(--third);stroke:var(--first);"
	"stroke-dasharray:3 2}"
	".s2{fill:var(--second)}.s3{fill:var(--fourth);stroke:var(--second);"
	"stroke-dasharray:3 2}\n"
	".tint{fill:var(--tint);stroke:var(--back)}"
	".tint2{fill:var(--tint2);stroke:var(--back)}"
	".rest{fill:var(--rest);stroke:var(--back)}"
	".wait{fill:var(--wait);stroke:var(--back)}"
	".idle{fill:none;stroke:var(--soft);stroke-dasharray:4 3}\n"
	".h0{fill:none}.h1{fill:var(--h1)}.h2{fill:var(--h2)}"
	".h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}"
	".h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}\n"
	".mark:focus{outline:none}"
	".mark:focus>rect,.mark:hover>rect{stroke:var(--mark);stroke-width:2.5;"
	"stroke-dasharray:none}\n"
	".flame rect{stroke:var(--back);stroke-width:.6}"
	".flame .mark text{fill:#1a1d21;pointer-events:none}"
	".f0{fill:#f4e9c4}.f1{fill:#f7d79f}.f2{fill:#f6bf86}.f3{fill:#f2a67c}"
	".f4{fill:#ec9086}\n"
	".flame .found rect{stroke:var(--found);stroke-width:2.5}"
	".flame .found text{font-weight:700;text-decoration:underline}\n"
	"@media print{:root{" LIGHT_COLOURS "}"
	"body{font-size:10pt}nav,.skip,form,.screen{display:none!important}"
	"main{max-width:none;padding:0}.scroll{overflow:visible}"
	"svg,svg.fit{width:100%!important;height:auto!important;min-width:0}"
	"pre{white-space:pre-wrap;overflow:visible}"
	"details::details-content{content-visibility:visible;display:block}"
	"figure,tr{break-inside:avoid}h2,h3{break-after:avoid}}\n";
