scenario "s" {}

node "web" {
  image = "i"
}

repeat "r0" {
repeat "r1" {
repeat "r2" {
repeat "r3" {
repeat "r4" {
repeat "r5" {
repeat "r6" {
repeat "r7" {
repeat "r8" {
repeat "r9" {
repeat "r10" {
repeat "r11" {
repeat "r12" {
repeat "r13" {
repeat "r14" {
repeat "r15" {
repeat "r16" {
repeat "r17" {
repeat "r18" {
repeat "r19" {
repeat "r20" {
repeat "r21" {
repeat "r22" {
repeat "r23" {
repeat "r24" {
repeat "r25" {
repeat "r26" {
repeat "r27" {
repeat "r28" {
repeat "r29" {
repeat "r30" {
repeat "r31" {
repeat "r32" {
repeat "r33" {
repeat "r34" {
repeat "r35" {
repeat "r36" {
repeat "r37" {
repeat "r38" {
repeat "r39" {
repeat "r40" {
repeat "r41" {
repeat "r42" {
repeat "r43" {
repeat "r44" {
repeat "r45" {
repeat "r46" {
repeat "r47" {
repeat "r48" {
repeat "r49" {
repeat "r50" {
repeat "r51" {
repeat "r52" {
repeat "r53" {
repeat "r54" {
repeat "r55" {
repeat "r56" {
repeat "r57" {
repeat "r58" {
repeat "r59" {
repeat "r60" {
repeat "r61" {
repeat "r62" {
repeat "r63" {
repeat "r64" {
repeat "r65" {
repeat "r66" {
repeat "r67" {
repeat "r68" {
repeat "r69" {
repeat "r70" {
repeat "r71" {
repeat "r72" {
repeat "r73" {
repeat "r74" {
repeat "r75" {
repeat "r76" {
repeat "r77" {
repeat "r78" {
repeat "r79" {
repeat "r80" {
repeat "r81" {
repeat "r82" {
repeat "r83" {
repeat "r84" {
repeat "r85" {
repeat "r86" {
repeat "r87" {
repeat "r88" {
repeat "r89" {
repeat "r90" {
repeat "r91" {
repeat "r92" {
repeat "r93" {
repeat "r94" {
repeat "r95" {
repeat "r96" {
repeat "r97" {
repeat "r98" {
repeat "r99" {
repeat "r100" {
repeat "r101" {
repeat "r102" {
repeat "r103" {
repeat "r104" {
repeat "r105" {
repeat "r106" {
repeat "r107" {
repeat "r108" {
repeat "r109" {
repeat "r110" {
repeat "r111" {
repeat "r112" {
repeat "r113" {
repeat "r114" {
repeat "r115" {
repeat "r116" {
repeat "r117" {
repeat "r118" {
repeat "r119" {
repeat "r120" {
repeat "r121" {
repeat "r122" {
repeat "r123" {
repeat "r124" {
repeat "r125" {
repeat "r126" {
repeat "r127" {
repeat "r128" {
repeat "r129" {
repeat "r130" {
repeat "r131" {
repeat "r132" {
repeat "r133" {
repeat "r134" {
repeat "r135" {
repeat "r136" {
repeat "r137" {
repeat "r138" {
repeat "r139" {
repeat "r140" {
repeat "r141" {
repeat "r142" {
repeat "r143" {
repeat "r144" {
repeat "r145" {
repeat "r146" {
repeat "r147" {
repeat "r148" {
repeat "r149" {
repeat "r150" {
repeat "r151" {
repeat "r152" {
repeat "r153" {
repeat "r154" {
repeat "r155" {
repeat "r156" {
repeat "r157" {
repeat "r158" {
repeat "r159" {
repeat "r160" {
repeat "r161" {
repeat "r162" {
repeat "r163" {
repeat "r164" {
repeat "r165" {
repeat "r166" {
repeat "r167" {
repeat "r168" {
repeat "r169" {
repeat "r170" {
repeat "r171" {
repeat "r172" {
repeat "r173" {
repeat "r174" {
repeat "r175" {
repeat "r176" {
repeat "r177" {
repeat "r178" {
repeat "r179" {
repeat "r180" {
repeat "r181" {
repeat "r182" {
repeat "r183" {
repeat "r184" {
repeat "r185" {
repeat "r186" {
repeat "r187" {
repeat "r188" {
repeat "r189" {
repeat "r190" {
repeat "r191" {
repeat "r192" {
repeat "r193" {
repeat "r194" {
repeat "r195" {
repeat "r196" {
repeat "r197" {
repeat "r198" {
repeat "r199" {
repeat "r200" {
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}

action "kil" "a" {}

# want: SCN0106 207:15-16
# want: SCN0208 410 "kil"
