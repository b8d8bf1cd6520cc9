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

/** The sender of a kind for its settings: loaded with the first text, made anew when the settings change. */
export function createSenders(world: SenderWorld) {
	const current = new Map<TargetKind, {settings: unknown; sender: Sender<unknown>}>();
	return async (kind: TargetKind, settings: unknown): Promise<Sender<unknown>> => {
		const sending = await kind.load();
		// Looked up only now: another text may have come first.
		const last = current.get(kind);
		if (last && last.settings === settings) {
			return last.sender;
		}

		const sender = sending.connect(settings, world);
		current.set(kind, {settings, sender});
		return sender;
	};
}

/** The settings of a kind; `off`: why nothing can be sent with them. */
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

/** The secrets of the configuration, and the newest 100 that came while running. */
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
			// A platform that calls a common word its token must not make it vanish from other texts.
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

/** The kind of the memos of deliveries. */
export const memoKind = 'delivery';

/** The state of a delivery that is kept beyond this process. */
const noteForm = z.object({
	/** Digest of its text, its parts and its place: with another one, nothing has arrived. */
	digest: z.string(),
	/** Parts that have arrived. */
	arrived: z.number(),
	/** When the next part was first begun, while its end is not known; milliseconds since 1970. */
	begunAt: z.number().optional(),
	/** When this was written. */
	at: z.number(),
});

type Note = z.infer<typeof noteForm>;

/** The part at which a delivery begins, by its note. @throws DeliveryError `delivery_uncertain` when a part of another text was sent and its end is not known */
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

	// A person has put the run back since then, and so allowed that the part is sent again.
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

/** The name of a delivery: the same for each try, until it has arrived and a person has it sent again. */
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

/** The note that was kept under the name of a delivery. */
export const noteIn = (memo: JsonValue | undefined): Note | undefined =>
	noteForm.safeParse(memo).data;
