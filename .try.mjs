import { spawn } from 'node:child_process';
import http from 'node:http';
import { chromium } from 'playwright-core';
const sink = http.createServer((q,r)=>{q.resume();q.on('end',()=>{r.statusCode=q.url==='/bad'?404:200;r.end('no such hook')})}).listen(9911);
const dir='/tmp/insight-try';
const server = spawn('node',['dist/opsdeck.js','alerts','serve','--config.file',dir+'/am.yml','--storage.path',dir+'/data','--web.listen-address','127.0.0.1:9777','--log.level','error'],{stdio:'inherit'});
const base='http://127.0.0.1:9777';
const post=(path,body)=>fetch(base+'/api/v2/'+path,{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify(body)}).then(async r=>{if(!r.ok)throw new Error(await r.text());return r.json().catch(()=>null)});
const sleep=ms=>new Promise(r=>setTimeout(r,ms));
for(let i=0;i<50;i++){try{await fetch(base+'/-/ready');break}catch{await sleep(200)}}
const ago=m=>new Date(Date.now()-m*60000).toISOString();
const flap={alertname:'QueueBacklog',cluster:'eu',severity:'critical',team:'db'};
for(const [a,b] of [[600,580],[50,45],[40,35],[30,25]]) await post('alerts',[{labels:flap,startsAt:ago(a),endsAt:ago(b)}]);
await post('alerts',[{labels:flap,startsAt:ago(20),annotations:{summary:'The queue has 12,000 waiting jobs'}}]);
await post('alerts',[
 {labels:{alertname:'ClusterDown',cluster:'us',severity:'critical'},annotations:{summary:'us is down'}},
 {labels:{alertname:'HighLatency',cluster:'us',severity:'warning',team:'db',instance:'api-1'},annotations:{summary:'The API takes 900 ms'}},
 {labels:{alertname:'DiskFull',cluster:'eu',severity:'info'},annotations:{summary:'/var is at 97 %'}},
 {labels:{alertname:'Watchdog',severity:'none'},startsAt:ago(9),endsAt:ago(5)},
]);
await post('silences',{matchers:[{name:'alertname',value:'QueueBacklog|HighLatency',isRegex:true}],startsAt:new Date(Date.now()+300).toISOString(),endsAt:new Date(Date.now()+3600000).toISOString(),createdBy:'mira',comment:'migration of the queue, OPS-12'}) ;
await sleep(14000);
const browser=await chromium.launch({executablePath:process.env.CHROME,args:['--no-sandbox']});
const shots=(process.argv[2]??'').split(',').filter(Boolean);
const pages={alerts:'#/alerts',history:'#/history',routing:'#/routing?labels='+encodeURIComponent('alertname=X,severity=critical,team=db'),status:'#/status',why:'#/why'};
for(const [name,width,scheme,lang] of [['a',1440,'light','en-US'],['b',390,'dark','de-DE'],['c',820,'dark','en-US'],['d',2560,'light','de-DE']]){
 if(shots.length&&!shots.includes(String(width)))continue;
 const c=await browser.newContext({viewport:{width,height:width<500?844:1000},colorScheme:scheme,locale:lang});
 const p=await c.newPage(); p.on('console',m=>m.type()==='error'&&console.log(m.text())); p.on('pageerror',e=>console.log('PAGE',e.message));
 for(const [key,hash] of Object.entries(pages)){
  if(key==='why')continue;
  await p.goto(base+'/'+hash); await sleep(1200);
  const over=await p.evaluate(()=>document.documentElement.scrollWidth-innerWidth); if(over>0)console.log('OVERFLOW',key,width,over);
  await p.screenshot({path:`${dir}/${key}-${width}.png`,fullPage:true});
 }
 await p.goto(base+'/#/alerts'); await sleep(800);
 const why=p.locator('.why-open, button[aria-expanded]').filter({hasText:/Why|Warum/}).first();
 if(await why.count()){await why.click();await sleep(800);await p.screenshot({path:`${dir}/why-${width}.png`,fullPage:true});}
 await c.close();
}
await browser.close(); server.kill(); sink.close();
