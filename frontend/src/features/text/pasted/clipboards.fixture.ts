/** HTML as programs put it on the clipboard, cut down to a few lines of content each but with their own styles. */

/** Microsoft Word 365 on Windows: a title, a heading, runs, two lists, a table, a picture, a comment, hidden text. */
export const WORD = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"
xmlns:w="urn:schemas-microsoft-com:office:word" xmlns="http://www.w3.org/TR/REC-html40">

<head>
<meta http-equiv=Content-Type content="text/html; charset=utf-8">
<meta name=Generator content="Microsoft Word 15">
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]-->
<style>
<!--
 p.MsoNormal, li.MsoNormal {mso-style-unhide:no; margin:0cm; font-family:"Calibri",sans-serif;}
 @list l0 {mso-list-id:1234; mso-list-type:hybrid;}
-->
</style>
</head>

<body lang=EN-GB style='tab-interval:36.0pt;word-wrap:break-word'>
<!--StartFragment-->

<p class=MsoTitle><span style='mso-fareast-font-family:"Times New Roman"'>Harbour plan<o:p></o:p></span></p>

<h2><span lang=EN-US style='mso-ansi-language:EN-US'>Berths<o:p></o:p></span></h2>

<p class=MsoNormal>Berth&nbsp;3 opens on <b>the
sixth</b><b><span style='mso-spacerun:yes'> </span>of October</b>, <span style='color:red'>at noon</span>.<span
style='mso-hide:all'>Draft remark.</span> See <a
href="https://harbour.example/list">the list</a>.<a style='mso-comment-reference:AB_1'></a><span
class=MsoCommentReference><span style='font-size:8.0pt'><a class=msocomanchor id="_anchor_1"
href="#_msocom_1">[AB1]</a></span></span><o:p></o:p></p>

<p class=MsoNormal><o:p>&nbsp;</o:p></p>

<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol;mso-fareast-font-family:Symbol;mso-bidi-font-family:Symbol'><span style='mso-list:Ignore'>·<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Pilots<o:p></o:p></p>

<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Petersen<o:p></o:p></p>

<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Tugs<o:p></o:p></p>

<p class=MsoNormal>In this order:<o:p></o:p></p>

<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span
style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Moor<o:p></o:p></p>

<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l1 level1 lfo2'><![if !supportLists]><span
style='mso-list:Ignore'>2.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span><![endif]>Unload<o:p></o:p></p>

<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none'>
 <tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'>
  <td width=301 valign=top style='width:225.4pt'><p class=MsoNormal><b>Berth<o:p></o:p></b></p></td>
  <td width=301 valign=top><p class=MsoNormal><b>Ship<o:p></o:p></b></p></td>
 </tr>
 <tr style='mso-yfti-irow:1;mso-yfti-lastrow:yes'>
  <td width=301 valign=top><p class=MsoNormal>3<o:p></o:p></p></td>
  <td width=301 valign=top><p class=MsoNormal>Wilhelmine<o:p></o:p></p></td>
 </tr>
</table>

<p class=MsoNormal><!--[if gte vml 1]><v:shape id="Picture_1" type="#_x0000_t75"><v:imagedata src="file:///C:/a.png"/></v:shape><![endif]--><![if !vml]><img
width=96 height=96 src="file:///C:/Users/anna/AppData/Local/Temp/msohtmlclip1/01/clip_image001.png"><![endif]><o:p></o:p></p>

<!--EndFragment-->
<div style='mso-element:comment-list'><div style='mso-element:comment'><p class=MsoCommentText>Is that sure?</p></div></div>
</body>
</html>`;

/** LibreOffice Writer 24.2 on Linux. */
export const LIBREOFFICE = `<!DOCTYPE html>
<html>
<head>
	<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
	<title></title>
	<meta name="generator" content="LibreOffice 24.2.7.2 (Linux)"/>
	<style type="text/css">
		@page { size: 21cm 29.7cm; margin: 2cm }
		p { line-height: 115%; margin-bottom: 0.25cm; background: transparent }
		td p { orphans: 0; widows: 0; background: transparent }
	</style>
</head>
<body lang="en-GB" link="#000080" vlink="#800000" dir="ltr"><h1 class="western">
Harbour</h1>
<p>Berth 3, <i>every</i> year<sup>2</sup>.</p>
<ol>
	<li><p style="margin-bottom: 0cm">Moor</p>
	<li><p style="margin-bottom: 0cm">Unload</p>
	<ul>
		<li><p>Coal</p></li>
	</ul>
</ol>
<table width="100%" cellpadding="4" cellspacing="0">
	<col width="128*"/>
	<col width="128*"/>
	<tr valign="top">
		<td style="border: 1px solid #000000"><p>Berth</p></td>
		<td style="border: 1px solid #000000"><p>Ship</p></td>
	</tr>
	<tr valign="top">
		<td style="border: 1px solid #000000"><p><font color="#c9211e">3</font></p></td>
		<td style="border: 1px solid #000000"><p><font color="#069a2e">Wilhelmine</font></p></td>
	</tr>
</table>
</body>
</html>`;

/** Google Docs in Chromium. */
export const GOOGLE_DOCS = `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-6f2c1d3e-7fff-0b1d"><h1 dir="ltr" style="line-height:1.38;margin-top:20pt;margin-bottom:6pt;"><span style="font-size:20pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent;font-weight:400;font-style:normal;text-decoration:none;white-space:pre-wrap;">Harbour</span></h1><p dir="ltr" style="line-height:1.38;"><span style="font-size:11pt;color:#000000;font-weight:400;white-space:pre-wrap;">Berth 3 opens </span><span style="font-size:11pt;color:#000000;font-weight:700;white-space:pre-wrap;">at noon</span><span style="font-size:11pt;color:#000000;font-weight:400;text-decoration:line-through;white-space:pre-wrap;"> or one</span></p><ul style="margin-top:0;margin-bottom:0;padding-inline-start:48px;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation"><span style="white-space:pre-wrap;">Pilots</span></p></li><ul style="margin-top:0;"><li dir="ltr" aria-level="2"><p dir="ltr" role="presentation"><span>Petersen</span></p></li></ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Tugs</span></p></li></ul></b><br class="Apple-interchange-newline">`;

/** Microsoft Excel 365: the fragment is within the table, a row is hidden, a cell is merged over two columns. */
export const EXCEL = `<html xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=ProgId content=Excel.Sheet>
<style><!--table {mso-displayed-decimal-separator:"\\."; mso-displayed-thousand-separator:"\\,";} .xl65 {background:yellow;}--></style></head>
<body link="#0563C1" vlink="#954F72">
<table border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse:collapse;width:144pt'>
<!--StartFragment-->
 <col width=64 span=3 style='width:48pt'>
 <tr height=20 style='height:15.0pt'>
  <td height=20 class=xl65 width=64>Berth</td><td width=64>Ship</td><td align=right width=64>Tons</td>
 </tr>
 <tr height=0 style='display:none'><td>9</td><td>Secret</td><td>1</td></tr>
 <tr height=20><td height=20 align=right>3</td><td>Wilhelmine|II</td><td align=right>1,200</td></tr>
 <tr height=20><td height=20 colspan=2 align=center style='mso-ignore:colspan'>Sum</td><td align=right>1,200</td></tr>
<!--EndFragment-->
</table>
</body>
</html>`;

/** One cell of Excel. */
export const EXCEL_CELL = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table border=0 width=64>
<!--StartFragment--> <tr height=20><td height=20 align=right width=64>1,200</td></tr> <!--EndFragment--></table></body></html>`;

/** Microsoft Outlook 365, a message as it is read: Word's styles, lines as paragraphs, an address, a quotation. */
export const OUTLOOK = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15 (filtered medium)"></head>
<body lang=EN-GB link="#0563C1" vlink="#954F72"><!--StartFragment--><div class=WordSection1>
<p class=MsoNormal><b>From:</b> Rosa Vogel &lt;<a href="mailto:rosa@harbour.example">rosa@harbour.example</a>&gt;<br><b>Sent:</b> Monday</p>
<p class=MsoNormal><span style='mso-fareast-language:EN-US'><o:p>&nbsp;</o:p></span></p>
<p class=MsoNormal>Dear all,</p>
<div style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><p class=MsoNormal>Noon, as ever.</p></div>
</div><!--EndFragment--></body></html>`;

/** Firefox 140 on Linux, of a page of a wiki: headings, links, a list, a picture with words, code. */
export const FIREFOX = `<h2 id="Berths">Berths<span class="edit"><a href="https://wiki.example/edit?s=1"></a></span></h2>
<p>The <a href="https://wiki.example/Harbour" title="Harbour">harbour</a> has
three <code>berths</code>. <img src="https://wiki.example/a.png" alt="A quay"></p>
<ul><li>Coal</li><li>Grain<script>alert(1)</script></li></ul>`;

/** Chromium of an editor for code: coloured lines without structure. The plain text beside it says it better. */
export const CODE_EDITOR = `<meta charset='utf-8'><div style="color: #cccccc;background-color: #1f1f1f;font-family: monospace;white-space: pre;"><div><span style="color: #569cd6;">if</span><span> x:</span></div><div><span>    </span><span style="color: #569cd6;">return</span></div></div>`;
