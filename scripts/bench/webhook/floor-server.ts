import {createHmac, timingSafeEqual} from 'node:crypto';
import {createServer, type ServerResponse} from 'node:http';
import {join} from 'node:path';
import {openDatabase} from '../../../source/store/open-sqlite-store.ts';
import {secret} from '../example.ts';
import {answerBenchmark} from './child-usage.ts';

// The work floor: what any receiver in Node has to do before it may answer 202. It checks the signature, parses the body, and inserts it; whatever arrived during
// a turn of the event loop, or a few, is committed and synced together, with the settings of the real store. No routes, no identifiers, no queue, nothing that anybody could look at.

const maxBatch = 128;
const maxTurns = 4;
const answer = JSON.stringify({status: 'accepted'});
const head = [
	'Content-Type',
	'application/json; charset=utf-8',
	'Content-Length',
	String(answer.length),
];

const database = openDatabase(join(process.env['SVC_HOME'] ?? '', 'floor.db'));
database.exec('create table event (id integer primary key, body blob not null) strict');
const insert = database.prepare('insert into event (body) values (?)');
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');

let waiting: Array<{readonly body: Buffer; readonly response: ServerResponse}> = [];

const flush = () => {
	const batch = waiting.slice(0, maxBatch);
	waiting = waiting.slice(maxBatch);
	begin.run();
	for (const {body} of batch) {
		insert.run(body);
	}

	commit.run();
	for (const {response} of batch) {
		response.writeHead(202, head);
		response.end(answer);
	}

	if (waiting.length > 0) {
		flushAfterTurn(0, maxTurns);
	}
};

/** As `source/store/group-commit.ts` does: waits for another turn while each brings some. */
const flushAfterTurn = (known: number, turns: number) => {
	setImmediate(() => {
		const {length} = waiting;
		if (length > Math.max(known, 1) && length < maxBatch && turns > 1) {
			flushAfterTurn(length, turns - 1);
		} else {
			flush();
		}
	});
};

const accept = (body: Buffer, response: ServerResponse) => {
	waiting.push({body, response});
	if (waiting.length === 1) {
		flushAfterTurn(0, maxTurns);
	}
};

const isSigned = (body: Buffer, claimed: string | string[] | undefined): boolean => {
	const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
	return (
		typeof claimed === 'string' &&
		claimed.length === expected.length &&
		timingSafeEqual(Buffer.from(claimed), Buffer.from(expected))
	);
};

const isJson = (body: Buffer): boolean => {
	try {
		JSON.parse(body.toString());
		return true;
	} catch {
		return false;
	}
};

const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => {
		const [first = Buffer.alloc(0)] = chunks;
		const body = chunks.length === 1 ? first : Buffer.concat(chunks);
		const isGood = isSigned(body, request.headers['x-hub-signature-256']) && isJson(body);
		if (isGood) {
			accept(body, response);
		} else {
			response.writeHead(401).end();
		}
	});
});
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	answerBenchmark(typeof address === 'object' && address ? address.port : 0, async () => {
		server.closeAllConnections();
		database.close();
	});
});
