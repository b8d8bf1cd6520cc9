import type {Config} from '../config/config.ts';
import {platformSettings, platformError, sectionSettings} from '../config/platform-settings.ts';
import {messageOf} from '../core/errors.ts';
import type {Sender, SenderWorld, TargetHealth, TargetKind} from '../platforms/target-kind.ts';

/** The sender of a kind for its settings: loaded with the first text, made anew when the settings are others. */
export type Senders = (kind: TargetKind, settings: unknown) => Promise<Sender<unknown>>;

export function createSenders(world: SenderWorld): Senders {
	const current = new Map<TargetKind, {settings: unknown; sender: Sender<unknown>}>();
	return async (kind, settings) => {
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

/** What the configuration says of a kind; `off`: why nothing can be sent with that. */
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

/** What a sender says of itself: its own look, or its connect check. */
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

/** The secrets of the configuration, and those that came while running: the newest 100. */
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
			// A platform that calls a word its token must not have it taken out of what others are sent.
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
