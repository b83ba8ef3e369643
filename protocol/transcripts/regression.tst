# $ pentalith gtp
# Regression tests of all five games, in the format of gogui-regress:
#     gogui-regress "pentalith gtp" regression.tst
# A numbered command is a test: the pattern behind #? must match its whole answer. An asterisk behind the pattern says
# that the test has to fail, as it does wherever the answer is an error, for an error matches no pattern.
# What genmove has to find are forced wins, so that a search may change and still pass.

set Seed 1
set Nodes 500

# Invector
variant invector:5x4
101 legal
#? [a1b1 a1a2 c1b1 c1d1 c1c2 e1d1 e1e2 b2b1 b2a2 b2c2 b2b3 d2d1 d2c2 d2e2 d2d3 a3a2 a3b3 a3a4 c3c2 c3b3 c3d3 c3c4 e3e2 e3d3 e3e4 b4b3 b4a4 b4c4 d4d3 d4c4 d4e4]
102 perft 2
#? [854.nodes/s .*]
103 perft 3
#? [19066.nodes/s .*]
104 play b a1a4
#? [.*]*
105 play w b1b2
#? [.*]*
106 play b z9
#? [.*]*
107 play b b4c4
#? []
108 play w swap
#? []
109 position
#? [b.wwb/wbwbw/bwbwb/wbwbw b 3]
110 score
#? [none b=9 w=10]
111 final_score
#? [.*]*
112 undo
#? []
113 undo
#? []
114 undo
#? [.*]*
115 position
#? [wbwbw/bwbwb/wbwbw/bwbwb b 1]
# A turn is skipped where there is no step.
116 position ...../..b../...../w...w b 21
#? []
117 legal
#? [pass]
118 play b c3c2
#? [.*]*
119 play b pass
#? []
# The last stone.
120 position ...../..bw./.bb../....b b 31
#? []
121 genmove b
#? [c3d3]
122 score
#? [b\+ reason=annihilation b=4 w=0]
123 final_score
#? [B\+]
124 legal
#? []
125 genmove w
#? [pass]
126 boardsize 6
#? [.*]*
127 komi 0.5
#? [invector has no komi: 0.5 is ignored]

# Gravel
variant gravel:3,x=3
201 legal
#? [a1 b1 c1 a2 b2 c2 a3 b3 c3]
202 perft 2
#? [99.nodes/s .*]
203 perft 3
#? [1269.nodes/s .*]
204 play b a1
#? [.*]*
205 play w end
#? [.*]*
206 play w a1,a1,b2
#? []
207 moves
#? [a1,a1,b2]
208 position
#? [.../.w1./w2.. b - 0,0 1 2]
209 score
#? [none b=0 w=2 b_removed=0 w_removed=0 b_pool=5 w_pool=2]
210 play b b2
#? [.*]*
211 play b c3,end
#? []
212 play w c3b1
#? [.*]*
213 undo
#? []
214 undo
#? []
215 position
#? [.../.../... w - 0,0 0 1]
# White has lost two of five pieces, and Black can remove a third.
216 position w2b1./b1../..w1 b - 0,2 0 6
#? []
217 legal
#? [a1 b1 a2 a2b3 -a2 b2 c2 xa3 b3 b3a2 -b3 c3]
218 genmove b
#? [.*xa3.*]
219 score
#? [b\+ reason=attrition .*]
220 final_score
#? [B\+]
221 rectangular_boardsize 5 4
#? [.*]*

# Markane
variant markane:4x4,pie=on
301 legal
#? [a1 b1 c1 d1 a2 b2 c2 d2 a3 b3 c3 d3 a4 b4 c4 d4]
302 perft 3
#? [2928.nodes/s .*]
303 perft 4
#? [28664.nodes/s .*]
304 play b b2
#? []
305 play w swap
#? []
306 position
#? [..../..../.w../.... b 1 3]
307 play b a1,d4
#? [.*]*
308 play b d3
#? []
309 play w b3
#? [.*]*
310 play w d3
#? [.*]*
311 score
#? [none b=1 w=1]
# A capture earns another placement, in the same move.
variant markane:5x4
312 position ...../.bw../...../b...w b 1 5
#? []
313 play b c4,c1
#? []
314 position
#? [..b../.b.../...../b.b.w w 1 6]
315 moves
#? [c4,c1]
316 undo
#? []
317 position
#? [...../.bw../...../b...w b 1 5]
# Only one placement takes the stone in the corner.
318 position ....w/....b/...../..... b 1 3
#? []
319 genmove b
#? [d4]
320 score
#? [b\+ reason=annihilation b=2 w=0]
321 final_score
#? [B\+]
322 showboard
#? [a b c d e. 4 . . ..b.. 4. 3 . . . . b 3. 2 . . . . . 2. 1 . . . . . 1.   a b c d e.Black wins: annihilation]

# Inversion
variant inversion:3
401 legal
#? [a1 b1 c1 a2 b2 c2 d2 a3 b3 c3 d3 e3 b4 c4 d4 e4 c5 d5 e5]
402 perft 2
#? [342.nodes/s .*]
403 perft 3
#? [5814.nodes/s .*]
404 play b c3
#? [.*]*
405 play w c3
#? []
406 play b c3
#? [.*]*
407 komi 0.5
#? []
408 variant
#? [inversion:3,komi=0.5]
409 undo
#? []
# One stone completes two hexes; it is the mover who chooses which of them is first.
410 position ww./bw.w/wbbww/w.bw/.b. w - 15
#? []
411 play w d4
#? []
412 legal
#? [d3 c4]
413 play w c3
#? [.*]*
414 play w d3
#? []
415 position
#? [ww./wwwb/wwwbb/w.bb/.b. b - 16]
416 undo
#? []
417 play w c4
#? []
418 position
#? [bb./bbbb/wbbbb/w.bb/.b. b - 16]
# The last stone completes several hexes, and their order says who wins.
variant inversion:3
419 position bbw/b.ww/bwbwb/bwbb/wbb w - 19
#? []
420 genmove w
#? [c4,.*]
421 score
#? [w\+ reason=majority .*]

# Invictus
variant invictus
501 legal
#? [6@a2 6@b2 6@c2 6@d2 6@e2 6@f2 6@g2 6@h2 6@j2 6@a3 6@b3 6@c3 6@d3 6@e3 6@f3 6@g3 6@h3 6@j3]
502 perft 2
#? [306.nodes/s .*]
503 perft 3
#? [4896.nodes/s .*]
504 play b 5@a2
#? [.*]*
505 play b 6@a2,6@b2,6@c2,5@d2
#? []
506 legal
#? [5@e2 5@f2 5@g2 5@h2 5@j2 5@a3 5@b3 5@c3 5@d3 5@e3 5@f3 5@g3 5@h3 5@j3]
507 undo
#? []
508 score
#? [none b=0 w=0]
# A captured die comes back showing one less, before the owner's turn.
509 position ........./..w4..b5.../.w2.....w6./.....w1.../...w3b4..../..b3...w2../.......b1./b6......../......... b 9,12 - 0 41
#? []
510 play b c4d5
#? []
511 play w g4g3
#? [.*]*
512 play w 3@a6
#? [.*]*
513 play w 2@d6,g4g3
#? []
514 position
#? [........./..w4..b5.../.w2.....w6./...w2.w1.../...b3b4..../........./......w2b1./b6......../......... b 9,12 - 0 43]
515 moves
#? [c4d5 2@d6,g4g3]
# Black's last die arrives and wins, or waits.
516 position ...w6...../....b2..../........./........./........./........./..w3....../........./......... b 5,3 - 0 41
#? []
517 legal
#? [e8d8 e8f8 e8e9 e8f9]
518 genmove b
#? [e8.9]
519 score
#? [b\+ reason=score b=7 w=6]
520 final_score
#? [B\+1]
521 boardsize 8
#? [.*]*
522 boardsize 9
#? []
