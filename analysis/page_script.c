/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script of all pages.  Each page is whole without it: it adds the search
 * in a flame graph, and the live list of a served page.  It only ever sets
 * text, never markup.
 */
#include "report.h"

/* Frames whose name holds what is typed are marked, and how much of the time
 * they take is said; frames inside a found one are not counted twice. */
#define SEARCH \
	"for(const form of document.querySelectorAll('form.search')){" \
	"const figure=form.closest('figure')," \
	"input=form.querySelector('input')," \
	"output=form.querySelector('output')," \
	"marks=[...figure.querySelectorAll('.mark')];" \
	"const search=()=>{const wanted=input.value.trim().toLowerCase();" \
	"let count=0,share=0,end=-1;" \
	"for(const mark of marks){" \
	"const hit=wanted!==''&&" \
	"mark.dataset.name.toLowerCase().includes(wanted);" \
	"mark.classList.toggle('found',hit);if(!hit)continue;count++;" \
	"const from=+mark.dataset.from,to=+mark.dataset.to;" \
	"if(from>=end){share+=to-from;end=to}}" \
	"output.textContent=wanted===''?'':count+" \
	"(count===1?' frame, ':' frames, ')+share.toFixed(1)+' %'};" \
	"form.hidden=false;form.addEventListener('submit',e=>{" \
	"e.preventDefault();search()});" \
	"input.addEventListener('input',search)}\n"

/* What the server says as it happens: how many runs there are, and how far
 * those are that are not recorded yet. */
#define EVENTS \
	"const live=document.getElementById('live');" \
	"if(live&&window.EventSource){" \
	"const source=new EventSource('/events');" \
	"source.addEventListener('state',e=>{" \
	"const state=JSON.parse(e.data),list=live.querySelector('ul');" \
	"live.querySelector('p').textContent=state.error||(state.runs+" \
	"(state.runs===1?' run':' runs')+' recorded'+" \
	"(state.latest>+live.dataset.latest?'; load the page again to see " \
	"those that are new':''));" \
	"list.replaceChildren(...(state.progress||[]).map(p=>{" \
	"const item=document.createElement('li')," \
	"bar=document.createElement('progress');" \
	"bar.max=1000;bar.value=p.permille;" \
	"item.textContent=p.what+': '+Math.floor(p.permille/10)+' % ';" \
	"bar.setAttribute('aria-label',item.textContent);" \
	"item.append(bar);return item}))})}\n"

const char page_script[] = "'use strict';{" SEARCH EVENTS "}\n";
