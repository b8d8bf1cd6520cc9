import {isUtf8} from 'node:buffer';
import {statSync} from 'node:fs';
import type {StoredDelivery} from '../../core/delivery.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {isJsonObject} from '../../core/json.ts';
import {readWireDelivery, requirePossibleTime} from '../../gateway/contract/wire-delivery.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult} from '../console/print.ts';
import {openInput, unreadable} from '../console/read-input.ts';
import {openHome} from '../home/open-home.ts';

/** The gateway accepts 32 MiB (a third of it base64 overhead) and 1,000 deliveries per call. Larger bodies can be received and exported, but not imported. */
const maxLineBytes = 20 * 1024 * 1024;
const batchBytes = 16 * 1024 * 1024;
const batchCount = 500;

/**
 * Imports exported deliveries into the journal under new identifiers; nothing runs. Uses the gateway if one runs, else the store, whose lock is held meanwhile. A
 * file is read to its end first, so that an invalid line changes nothing; from standard input or a pipe, whole batches (500 deliveries, or fewer with large
 * bodies) before the invalid line are imported, and the message says how many. A line above 20 MiB is skipped and reported; the exit code is then 1.
 *
 * @throws SvcError `line_invalid` naming the line, `file_unreadable`, `gateway_running`
 */
export async function importDeliveriesFile(
	context: Context,
	path: string,
	{json = false}: {readonly json?: boolean},
): Promise<void> {
	if (canBeReadTwice(path)) {
		for await (const _ of deliveriesIn(context, path, () => {})) {
			// Only validates each line.
		}
	}

	await using home = await openHome(context, 'write');
	let count = 0;
	let leftOut = 0;
	const leaveOut = (line: number) => {
		leftOut++;
		tell(context, `Line ${line} is left out: it is longer than ${maxLineBytes} bytes`);
	};

	try {
		for await (const batch of batchesOf(deliveriesIn(context, path, leaveOut))) {
			count += await home.importDeliveries({deliveries: batch});
		}
	} catch (error) {
		if (count === 0 || !(error instanceof SvcError)) {
			throw error;
		}

		throw new SvcError(
			error.code,
			`${error.message}; ${count} deliveries before it were taken in`,
			{cause: error},
		);
	}

	context.exit(leftOut === 0 ? 0 : 1);
	const line = `Took in ${count} deliveries${leftOut === 0 ? '' : ` and left out ${leftOut}`}; replay one with "svc deliveries replay ID"`;
	printResult(context, {json, value: {imported: count, leftOut}, lines: [line]});
}

/** Whether it is a regular file, not a named pipe. */
function canBeReadTwice(path: string): boolean {
	return path !== '-' && statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

/** @throws SvcError `line_invalid`, `file_unreadable` */
async function* deliveriesIn(
	context: Context,
	path: string,
	/** Called with the number of a line that is too long. */
	leaveOut: (line: number) => void,
): AsyncIterable<StoredDelivery> {
	try {
		const lines = readLines(openInput(context, path));
		for await (const {number, text} of lines) {
			if (text === undefined) {
				leaveOut(number);
			} else {
				yield readLine(number, text, context.clock.now());
			}
		}
	} catch (error) {
		throw error instanceof SvcError ? error : unreadable(path, error);
	}
}

function readLine(number: number, text: string, now: number): StoredDelivery {
	try {
		const delivery = deliveryOfLine(text);
		requirePossibleTime(delivery, now);
		return delivery;
	} catch (error) {
		// The engine's message quotes the text around the error, which may be long or contain a secret.
		const why = error instanceof SvcError ? messageOf(error) : 'it is not JSON';
		throw new SvcError('line_invalid', `Cannot use line ${number}: ${why}`, {cause: error});
	}
}

async function* batchesOf(
	deliveries: AsyncIterable<StoredDelivery>,
): AsyncIterable<readonly StoredDelivery[]> {
	let batch: StoredDelivery[] = [];
	let bytes = 0;
	for await (const delivery of deliveries) {
		const size = delivery.body?.length ?? 0;
		if (batch.length >= batchCount || (batch.length > 0 && bytes + size > batchBytes)) {
			yield batch;
			batch = [];
			bytes = 0;
		}

		batch.push(delivery);
		bytes += size;
	}

	if (batch.length > 0) {
		yield batch;
	}
}

/**
 * Parses one line of an export. References to the old journal (run, group, replayed delivery) are dropped.
 *
 * @throws SvcError `delivery_invalid`; SyntaxError for what is no JSON
 */
function deliveryOfLine(line: string): StoredDelivery {
	const value: unknown = JSON.parse(line);
	if (!isJsonObject(value) || typeof value['body'] !== 'string') {
		return readWireDelivery(value);
	}

	const {body, ...rest} = value;
	return readWireDelivery({...rest, body_base64: Buffer.from(body).toString('base64')});
}

/** A line of a file, numbered from 1; without `text` if it is too long. */
type NumberedLine = {readonly number: number; readonly text?: string};

/** Found at the beginning of some text files. */
const byteOrderMark = '\ufeff';

/**
 * The non-empty lines of a byte stream, one at a time. A line above `maxLineBytes` is reduced to its number.
 *
 * @throws SvcError `line_invalid` for a line that is not UTF-8, named by its number
 */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<NumberedLine> {
	let number = 0;
	/** The bytes of the incomplete line, one character each. */
	let begun = '';
	const take = (bytes: string): readonly NumberedLine[] => {
		number++;
		if (bytes.length > maxLineBytes) {
			return [{number}];
		}

		const line = Buffer.from(bytes, 'latin1');
		if (!isUtf8(line)) {
			throw new SvcError('line_invalid', `Cannot read line ${number}: it is not UTF-8 text`);
		}

		const text = line.toString().replace(byteOrderMark, '').trim();
		return text === '' ? [] : [{number, text}];
	};

	for await (const chunk of chunks) {
		const [first = '', ...others] = chunk.toString('latin1').split('\n');
		const lines = [begun + first, ...others];
		begun = (lines.pop() ?? '').slice(0, maxLineBytes + 1);
		for (const line of lines) {
			yield* take(line);
		}
	}

	yield* take(begun);
}
