import {isUtf8} from 'node:buffer';
import {existsSync} from 'node:fs';
import {open, rename, rm} from 'node:fs/promises';
import type {StoredDelivery} from '../../core/delivery.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {jsonLine} from '../../core/json.ts';
import {toWire} from '../../gateway/contract/wire-delivery.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {type Home, openHome} from '../home/open-home.ts';

/** The largest page that the journal returns. */
const page = 1000;

/** The flags of `svc deliveries export`. */
export type ExportFlags = {
	readonly route?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly out?: string;
	/** Replaces an existing `out`. */
	readonly force?: boolean;
};

/**
 * Writes deliveries as one JSON object per line to a file or standard output, oldest first, so that an import keeps their order. Pages through the journal with
 * back-pressure, so that neither large bodies nor a slow reader fill the memory. A file is private (mode 0600) and gets its name only when complete.
 *
 * @throws SvcError `file_unwritable`
 */
export async function exportDeliveries(
	context: Context,
	{route, since, out, force}: ExportFlags,
): Promise<void> {
	if (out !== undefined && !force && existsSync(out)) {
		throw new SvcError(
			'file_unwritable',
			`Cannot write "${out}": it is there already; add --force to replace it`,
		);
	}

	await using home = await openHome(context, 'read');
	const chosen = {...(route !== undefined && {route}), ...(since !== undefined && {since})};
	const lines = linesOf(home, chosen);
	if (out === undefined) {
		for await (const line of lines) {
			// Waits for the stream, until its reader is gone.
			// oxlint-disable-next-line no-loop-func -- awaited before the next line
			if (await new Promise<unknown>(resolve => context.stdout.write(line, resolve))) {
				break;
			}
		}

		return;
	}

	const unfinished = `${out}.${process.pid}.part`;
	// The message names the requested file, not the temporary one.
	const refuse = (cause: unknown): never => {
		const reason = messageOf(cause).replaceAll(unfinished, out);
		throw new SvcError('file_unwritable', `Cannot write "${out}": ${reason}`, {cause});
	};

	let count = 0;
	try {
		await using file = await open(unfinished, 'wx', 0o600).catch(refuse);
		for await (const line of lines) {
			await file.writeFile(line).catch(refuse);
			count++;
		}

		await rename(unfinished, out).catch(refuse);
		tell(context, `Wrote ${count} deliveries to ${out}`);
	} finally {
		await rm(unfinished, {force: true});
	}
}

type Chosen = {readonly route?: string; readonly since?: number};

async function* linesOf(home: Home, chosen: Chosen): AsyncIterable<string> {
	const ids = await chosenIds(home, chosen);
	for (const id of ids.toReversed()) {
		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await home.getDelivery(id);
		// It may have been purged meanwhile.
		if (stored) {
			yield `${lineOfDelivery(stored)}\n`;
		}
	}
}

/** Newest first. Holds only identifiers, a dozen bytes per delivery. */
async function chosenIds(home: Home, chosen: Chosen): Promise<readonly string[]> {
	const ids: string[] = [];
	for (;;) {
		const before = ids.at(-1);
		const found =
			// oxlint-disable-next-line no-await-in-loop -- a page begins where the last one ended
			await home.listDeliveries({...chosen, ...(before !== undefined && {before}), limit: page});
		ids.push(...found.map(({id}) => id));
		if (found.length < page) {
			return ids;
		}
	}
}

/**
 * A delivery as one line of an export, without the line end: a JSON object with the keys of `svc deliveries show --json`. The body is `body` if it is UTF-8, else
 * `body_base64`; absent if it was not stored. Headers are the stored ones, without secrets, tokens or signatures.
 */
function lineOfDelivery(stored: StoredDelivery): string {
	const {body, ...delivery} = stored;
	return jsonLine(
		body && isUtf8(body) ? {...delivery, body: Buffer.from(body).toString('utf8')} : toWire(stored),
	);
}
