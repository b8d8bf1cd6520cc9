import {randomUUID} from 'node:crypto';
import {connect, type Socket} from 'node:net';
import {hubSignature, pushExample} from '../example.ts';
import {percentile} from '../statistics.ts';
import type {LoadOrder, LoadResult} from './messages.ts';

// The load generator, a process of its own: each connection sends the next request when the answer to the last is there. It shares
// the machine with the server, so it does as little as it can: the request is one prepared buffer in which only the delivery
// identifier changes, and an answer is looked at for its status and its length.

const body = pushExample();
const signature = hubSignature(body);
const idLength = 36;
const maxAnswers = 4_000_000;
const latencies = new Float64Array(maxAnswers);

type Connection = {readonly socket: Socket; readonly failed: Promise<never>};

const forgery = `sha256=${'0'.repeat(64)}`;

function requestFor({path, forged = false}: Pick<LoadOrder, 'path' | 'forged'>): {
	readonly bytes: Buffer;
	readonly idAt: number;
} {
	const head = [
		`POST ${path} HTTP/1.1`,
		'Host: 127.0.0.1',
		'User-Agent: GitHub-Hookshot/0000000',
		'Accept: */*',
		'Content-Type: application/json',
		`Content-Length: ${body.length}`,
		'X-GitHub-Event: push',
		`X-Hub-Signature-256: ${forged ? forgery : signature}`,
		`X-GitHub-Delivery: ${'0'.repeat(idLength)}`,
		'\r\n',
	].join('\r\n');
	return {
		bytes: Buffer.concat([Buffer.from(head), body]),
		idAt: head.length - '\r\n\r\n'.length - idLength,
	};
}

async function generate({
	port,
	path,
	forged = false,
	connections,
	warmUpMs,
	ms,
}: LoadOrder): Promise<LoadResult> {
	const statuses: Record<string, number> = {};
	let [answers, counting, running] = [0, false, true];

	const open = (): Connection => {
		const {bytes, idAt} = requestFor({path, forged});
		const {promise: failed, reject} = Promise.withResolvers<never>();
		let sentAt = 0;
		let text = '';
		const send = () => {
			bytes.write(randomUUID(), idAt, idLength, 'latin1');
			sentAt = performance.now();
			socket.write(bytes);
		};

		const onAnswer = (status: string) => {
			if (counting && answers < maxAnswers) {
				latencies[answers] = performance.now() - sentAt;
				answers += 1;
				statuses[status] = (statuses[status] ?? 0) + 1;
			}

			if (running) {
				send();
			}
		};

		const socket = connect({
			port,
			host: '127.0.0.1',
			noDelay: true,
			// Reading into one buffer spares the stream machinery.
			onread: {
				buffer: Buffer.alloc(16_384),
				callback(length, chunk) {
					text += Buffer.from(chunk.buffer, chunk.byteOffset, length).toString('latin1');
					if (isWhole(text)) {
						const status = text.slice(9, 12);
						text = '';
						onAnswer(status);
					}

					return true;
				},
			},
		});
		socket.once('connect', send);
		socket.once('error', reject);
		socket.once('close', () => {
			if (running) {
				reject(new Error(`the server closed a connection to ${path}`));
			}
		});
		return {socket, failed};
	};

	const opened = Array.from({length: connections}, open);
	const work = async (): Promise<LoadResult> => {
		await after(warmUpMs);
		counting = true;
		const [start, cpu] = [performance.now(), process.cpuUsage()];
		await after(ms);
		counting = false;
		const seconds = (performance.now() - start) / 1000;
		const {user, system} = process.cpuUsage(cpu);
		const sorted = latencies.subarray(0, answers).toSorted();
		return {
			requests: answers,
			seconds,
			statuses,
			p50Ms: percentile(sorted, 0.5),
			p99Ms: percentile(sorted, 0.99),
			generatorLoad: (user + system) / 1e6 / seconds,
		};
	};

	try {
		return await Promise.race([work(), ...opened.map(({failed}) => failed)]);
	} finally {
		running = false;
		for (const {socket} of opened) {
			socket.destroy();
		}
	}
}

const after = async (ms: number) =>
	new Promise<void>(resolve => {
		setTimeout(resolve, ms);
	});

/** Whether `text` holds a whole answer; the servers under test always declare its length. */
function isWhole(text: string): boolean {
	const end = text.indexOf('\r\n\r\n');
	if (end === -1) {
		return false;
	}

	const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
	return length !== undefined && text.length >= end + 4 + Number(length);
}

process.on('message', (order: LoadOrder) => {
	void generate(order).then(
		result => process.send?.({ok: true, result}),
		(error: unknown) => process.send?.({ok: false, error: String(error)}),
	);
});
process.on('disconnect', () => {
	process.exit();
});
