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

/** What the journal answers at once, at most. */
const page = 1000;

/** Flags of `svc deliveries export`. */
export type ExportFlags = {
	readonly route?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly out?: string;
	/** Replaces `out` when it is there. */
	readonly force?: boolean;
};

/**
 * Writes deliveries, oldest first, so that an import keeps their order, one JSON object a line, to a file or to standard output. Pages through the journal and
 * waits for whoever reads, so that neither large bodies nor a slow reader fill the memory. A file is private (0600) and takes its name only when it is whole.
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
			// As fast as the stream takes it, until its reader is gone.
			// oxlint-disable-next-line no-loop-func -- awaited before the next line
			if (await new Promise<unknown>(resolve => context.stdout.write(line, resolve))) {
				break;
			}
		}

		return;
	}

	const unfinished = `${out}.${process.pid}.part`;
	// Names the file that was asked for, not the one that was to become it.
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
		// The retention may have taken it meanwhile.
		if (stored) {
			yield `${lineOfDelivery(stored)}\n`;
		}
	}
}

/** Newest first. Of the whole journal nothing but these is held: a dozen bytes for each delivery. */
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
 * A delivery as one line of an export, without the line end: a JSON object with the keys of `svc deliveries show --json`. The body is `body` when it is
 * UTF-8, else `body_base64`; neither when it was not kept. Headers are those that were stored: no secret, token or signature.
 */
function lineOfDelivery(stored: StoredDelivery): string {
	const {body, ...delivery} = stored;
	return jsonLine(
		body && isUtf8(body) ? {...delivery, body: Buffer.from(body).toString('utf8')} : toWire(stored),
	);
}
