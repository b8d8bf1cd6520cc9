import {createHash} from 'node:crypto';
import {refuseTooLarge, type EditedText, maxEditedBytes} from '../../config/text-files.ts';
import {type Clock, sleep} from '../../core/clock.ts';
import {codeOf, SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {createMutex} from '../../core/mutex.ts';
import {holdLease, type Leases} from '../../store/shared-port.ts';
import type {DocumentMirror, MirroredDocument} from './document-mirror.ts';
import {documentEntryOf, holdsSealed, type PlacedEntry} from './strongbox.ts';

/** How long an edit waits for edits of other members, and how often it retries, milliseconds. */
const lockWaitMs = 10_000;
const retryMs = 20;

/** Attempts to write when another member changes the rows meanwhile. */
const maxTries = 5;

/** The text format of entries: an object, or a list. */
export type TextForm = {
	/** Kind of the documents. */
	readonly kind: 'job' | 'subscription';
	/** Formats these entries, in order. */
	format(entries: ReadonlyArray<readonly [name: string, entry: JsonValue]>): string;
	/** Parses such a text into entries with the names of their documents. The text was made by `format` and edited by this program. */
	parse(text: string): ReadonlyArray<readonly [name: string, entry: JsonValue]>;
};

export const subscriptionForm: TextForm = {
	kind: 'subscription',
	format: entries => `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
	parse(text) {
		const value: unknown = JSON.parse(text);
		return isJsonObject(value) ? Object.entries(value) : [];
	},
};

export const jobForm: TextForm = {
	kind: 'job',
	format: entries => `${JSON.stringify({jobs: entries.map(([, entry]) => entry)}, null, 2)}\n`,
	parse(text) {
		const value: unknown = JSON.parse(text);
		const {jobs} = isJsonObject(value) ? value : {};
		const taken = new Set<string>();
		return (Array.isArray(jobs) ? jobs : []).map((entry: JsonValue) => {
			const name = nameOfJob(entry, taken);
			taken.add(name);
			return [name, entry];
		});
	},
};

/** The identifier of a job; for an entry without a usable one, a hash of the entry. */
function nameOfJob(entry: JsonValue, taken: ReadonlySet<string>): string {
	const {id} = isJsonObject(entry) ? entry : {};
	if (typeof id === 'string' && id !== '' && id.length <= 128 && !taken.has(id)) {
		return id;
	}

	const hash = createHash('sha256').update(JSON.stringify(entry)).digest('hex').slice(0, 16);
	return `unnamed-${hash}${taken.has(`unnamed-${hash}`) ? `-${taken.size}` : ''}`;
}

/** The documents of one kind and profile, read and edited as if they were the file of a home. */
export function sharedText(
	mirror: DocumentMirror,
	{name, profile, form}: {readonly name: string; readonly profile: string; readonly form: TextForm},
): EditedText {
	const {kind} = form;
	const oneByOne = createMutex();
	let known: {readonly stamp: string; readonly text: string} | undefined;
	const read = () => {
		const stamp = mirror.stampOf(kind, profile);
		if (known?.stamp !== stamp) {
			known = {stamp, text: form.format(inOrder(mirror.of(kind, profile)))};
		}

		return known.text;
	};

	const write = async (text: string) => {
		refuseTooLarge(name, text, maxEditedBytes);
		const before = mirror.of(kind, profile);
		const after = withOrder(form.parse(text), before);
		const names = new Set(after.map(([document]) => document));
		for (const [document, placed] of after) {
			const stored = before.get(document);
			if (!stored || JSON.stringify(documentEntryOf(stored.data)) !== JSON.stringify(placed)) {
				refuseForeign(document, placed.entry, stored);
				// oxlint-disable-next-line no-await-in-loop -- usually there is one
				await mirror.put({kind, profile, name: document}, placed, stored?.version ?? 0);
			}
		}

		for (const [document, {version}] of before) {
			if (!names.has(document)) {
				// oxlint-disable-next-line no-await-in-loop -- as above
				await mirror.remove({kind, profile, name: document}, version);
			}
		}
	};

	return {
		name,
		stamp: () => ({stamp: mirror.stampOf(kind, profile), changedAt: 0}),
		read,
		edit: async (change, {clock}) =>
			oneByOne(async () => {
				const lease = mirror.store().leases(`edit:${kind}:${profile}`);
				await using _ = await waitForLease(lease, {clock, what: name, waitMs: lockWaitMs});
				await mirror.refresh();
				return await onNewest(mirror, async () => {
					const {text, value} = change(read());
					if (text !== undefined) {
						await write(text);
						// So that the next read returns what was written.
						await mirror.refresh();
					}

					return value;
				});
			}),
	};
}

/** Calls `write`, and again after a refresh if another member changed the documents meanwhile. */
export async function onNewest<Value>(
	mirror: Pick<DocumentMirror, 'refresh'>,
	write: () => Promise<Value>,
): Promise<Value> {
	for (let tries = 1; ; tries += 1) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- sequential attempts
			return await write();
		} catch (error) {
			if (codeOf(error) !== 'document_changed' || tries === maxTries) {
				throw error;
			}
		}

		// oxlint-disable-next-line no-await-in-loop
		await mirror.refresh();
	}
}

/** Refuses a copied secret that could not be decrypted: it is bound to its original document and could never be decrypted in this one. */
function refuseForeign(name: string, entry: JsonValue, stored: MirroredDocument | undefined): void {
	if (holdsSealed(entry) && !(stored && holdsSealed(stored.data))) {
		throw new SvcError(
			'store_key_wrong',
			`Cannot write "${name}": it has a secret that gateway.store_key does not decrypt; set the key that the other gateways have`,
		);
	}
}

/** Takes a lease as soon as it is free. @throws SvcError `lock_timeout`, `journal_unavailable` */
export async function waitForLease(
	lease: ReturnType<Leases>,
	{clock, what, waitMs}: {readonly clock: Clock; readonly what: string; readonly waitMs: number},
): Promise<AsyncDisposable> {
	const until = clock.monotonic() + waitMs;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- until it is free
		const held = await holdLease(lease, clock);
		if (held) {
			return held;
		}

		if (clock.monotonic() >= until) {
			throw new SvcError(
				'lock_timeout',
				`Cannot change ${what}: another gateway has been changing it for ${Math.round(waitMs / 1000)} s; try again`,
			);
		}

		// oxlint-disable-next-line no-await-in-loop
		await sleep(clock, retryMs);
	}
}

const inOrder = (
	documents: ReadonlyMap<string, MirroredDocument>,
): ReadonlyArray<readonly [string, JsonValue]> =>
	[...documents]
		.map(([name, {data}]) => ({name, ...documentEntryOf(data)}))
		.toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
		.map(({name, entry}) => [name, entry]);

/** Gives each entry its position: a new one gets a position between its neighbours, so that the others keep theirs. */
function withOrder(
	entries: ReadonlyArray<readonly [string, JsonValue]>,
	before: ReadonlyMap<string, MirroredDocument>,
): ReadonlyArray<readonly [string, PlacedEntry]> {
	const orders = entries.map(([name]) => {
		const stored = before.get(name);
		return stored && documentEntryOf(stored.data).order;
	});
	let last = 0;
	return entries.map(([name, entry], index) => {
		const own = orders[index];
		const next = orders.slice(index + 1).find(order => order !== undefined && order > last);
		last =
			own !== undefined && own > last ? own : next === undefined ? last + 1 : (last + next) / 2;
		return [name, {order: last, entry}];
	});
}
