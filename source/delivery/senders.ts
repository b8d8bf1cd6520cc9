import {createHash} from 'node:crypto';
import {z} from 'zod';
import type {Config} from '../config/config.ts';
import {platformSettings, platformError, sectionSettings} from '../config/platform-settings.ts';
import {idempotencyMs} from '../core/delivery.ts';
import {messageOf} from '../core/errors.ts';
import type {JsonValue} from '../core/json.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';
import type {Sender, SenderWorld, TargetHealth, TargetKind} from '../platforms/target-kind.ts';

/** The sender of a kind for its settings: loaded at the first text, and made again when the settings change. */
export function createSenders(world: SenderWorld) {
	const current = new Map<TargetKind, {settings: unknown; sender: Sender<unknown>}>();
	return async (kind: TargetKind, settings: unknown): Promise<Sender<unknown>> => {
		const sending = await kind.load();
		// Looked up after loading: another text may have made the sender meanwhile.
		const last = current.get(kind);
		if (last && last.settings === settings) {
			return last.sender;
		}

		const sender = sending.connect(settings, world);
		current.set(kind, {settings, sender});
		return sender;
	};
}

/** The settings of a kind; `off`: why nothing can be sent with them; absent: it can. */
export function sendSettings(
	{kind, section, settings: schema}: TargetKind,
	config: Config,
): {readonly settings: unknown; readonly off?: string} {
	if (schema === undefined) {
		return {settings: section && sectionSettings(config, section.name)};
	}

	const settings = platformSettings(config, kind);
	if (settings?.enabled && settings.lacks === undefined) {
		return {settings};
	}

	const why = settings?.enabled ? `lacks ${settings.lacks}` : 'is not enabled';
	const off = `platform "${kind}" ${why}; see platforms.${kind}`;
	return {settings, off: (!settings?.enabled && platformError(config, kind)?.reason) || off};
}

const examineMs = 10_000;

/** The health of a sender, by its own examination or its connect check. */
export async function senderHealth(
	sender: Sender<unknown>,
	{profile, clean, signal}: {profile: string; clean: (text: string) => string; signal: AbortSignal},
): Promise<TargetHealth | undefined> {
	if (sender.examine || !sender.check) {
		return sender.examine?.(profile, signal);
	}

	try {
		const said = clean(await sender.check({limitMs: examineMs, signal}));
		return {health: 'ok', found: `it takes the credentials: ${said}`};
	} catch (error) {
		const mend = 'see its settings below platforms in config.yaml';
		return {health: 'failed', found: messageOf(error), mend};
	}
}

/** The secrets of the configuration, and the newest 100 that became known at run time. */
export function withHidden(
	configured: () => readonly string[],
	hide: (secret: string) => void,
): {readonly values: () => readonly string[]; readonly hide: (secret: string) => void} {
	let hidden: readonly string[] = [];
	let [of, all]: [readonly string[], readonly string[]] = [[], []];
	return {
		values() {
			const now = configured();
			if (of !== now) {
				of = now;
				all = [...now, ...hidden];
			}

			return all;
		},
		hide(secret) {
			// Only random texts: if a platform called a common word its token, the word would vanish from other texts.
			if (looksRandom(secret) && !hidden.includes(secret)) {
				hidden = [...hidden, secret].slice(-100);
				of = [];
				hide(secret);
			}
		},
	};
}

const leastTokenLength = 20;

const looksRandom = (secret: string): boolean =>
	secret.length >= leastTokenLength && /\d/.test(secret) && !/\s/.test(secret);

/** The kind of memo in which deliveries are stored. */
export const memoKind = 'delivery';

/** The stored state of a delivery, which survives a restart. */
const noteForm = z.object({
	/** Digest of text, parts and place. With another digest no part has arrived. */
	digest: z.string(),
	/** Number of parts that have arrived. */
	arrived: z.number(),
	/** When the next part was first sent, while its result is unknown; milliseconds since 1970. */
	begunAt: z.number().optional(),
	/** When the note was stored. */
	at: z.number(),
});

type Note = z.infer<typeof noteForm>;

/** The part from which a delivery continues, by its note. @throws DeliveryError `delivery_uncertain` when a part of another text was sent and its end is not known */
export function startOf(
	note: Note | undefined,
	{
		digest,
		message: {runId, startedAt},
		now,
	}: {readonly digest: string; readonly message: OutgoingMessage; readonly now: number},
): {readonly arrived: number; readonly begunAt?: number | undefined} {
	// Senders may reuse an identifier for another event later.
	if (!note || (runId === undefined && now - note.at >= idempotencyMs)) {
		return {arrived: 0};
	}

	// A person has released the run since then, and so accepted that the part may be sent twice.
	const isReleased = note.begunAt !== undefined && (startedAt ?? 0) > note.begunAt;
	const begunAt = isReleased ? undefined : note.begunAt;
	if (note.digest === digest) {
		return {arrived: note.arrived, begunAt};
	}

	if (begunAt !== undefined) {
		throw new DeliveryError(
			'delivery_uncertain',
			'Cannot go on: an earlier try broke off while it sent another text or to another place, where a part may have arrived',
		);
	}

	return {arrived: 0};
}

/** The name of a delivery: the same for all its tries; another one if a person has an arrived answer sent again. */
export const deliveryName = ({
	profile,
	route,
	delivery,
	identifier,
	runId,
	again,
}: OutgoingMessage): string =>
	JSON.stringify([
		profile,
		route,
		identifier ?? delivery ?? null,
		runId ?? null,
		...(again === undefined ? [] : [again]),
	]);

export const hashOf = (value: unknown): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Parses the note stored under the name of a delivery. */
export const noteIn = (memo: JsonValue | undefined): Note | undefined =>
	noteForm.safeParse(memo).data;
