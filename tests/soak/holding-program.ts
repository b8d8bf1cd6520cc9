import {connect} from 'node:net';

// Holds `argv[3]` connections to port `argv[2]` of this machine, in a process of its own, and opens each again that is closed. Tells its parent how many are open and were
// opened when asked, and ends when its parent is gone.

/** What is sent at once: nothing, half a header, half a body, a request that is answered. */
const beginnings = [
	'',
	'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\n',
	'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{',
	'GET /health HTTP/1.1\r\nHost: a\r\n\r\n',
] as const;

const openAtATime = 200;
const againMs = 5000;

const port = Number(process.argv[2]);
const connections = Number(process.argv[3]);
let open = 0;
let opened = 0;

const hold = (index: number) => {
	const socket = connect({port, host: '127.0.0.1'});
	let isOpen = false;
	socket.on('connect', () => {
		isOpen = true;
		open += 1;
		opened += 1;
		socket.write(beginnings[index % beginnings.length] ?? '');
	});
	socket.on('error', () => {});
	socket.on('close', () => {
		open -= isOpen ? 1 : 0;
		setTimeout(hold, againMs, index);
	});
	socket.resume();
};

let next = 0;
const beginning = setInterval(() => {
	for (let count = 0; count < openAtATime && next < connections; count++) {
		hold(next);
		next += 1;
	}

	if (next === connections) {
		clearInterval(beginning);
	}
}, 20);

process.on('message', () => {
	process.send?.({open, opened});
});
process.on('disconnect', () => {
	process.exit();
});
