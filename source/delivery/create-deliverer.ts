import type {Config} from '../config/config.ts';
import {platformSettings, platformError} from '../config/platform-settings.ts';
import type {Clock} from '../core/clock.ts';
import type {PlatformView} from '../core/config-view.ts';
import type {Logger} from '../core/log.ts';
import {createRedact} from '../core/redact.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {ListeningState} from '../platforms/listener.ts';
import {type OutgoingMessage, withoutUnwanted} from '../platforms/outgoing-message.ts';
import {defaultKind, kindsByName, targetKinds} from '../platforms/platforms.ts';
import {createPost} from '../platforms/post.ts';
import type {SenderWorld, TargetKind} from '../platforms/target-kind.ts';
import {type Deliverer, type Receipt, unknownTarget} from './deliverer.ts';
import {createHandOver} from './hand-over.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';
import {type PlatformCheck, createPlatformStates} from './platform-state.ts';
import {createSenders, senderHealth, sendSettings, withHidden} from './senders.ts';

export type DelivererDependencies = SendersShare & {
	readonly clock: Clock;
	/** Receives the answers for the target `log`. */
	readonly log: Logger;
	/** The current configuration; asked for each delivery. */
	readonly config: () => Config;
	/** The environment of this process, without the profile's `.env`. */
	readonly environment: () => Readonly<Record<string, string>>;
	/** Called when a platform went down or came back; must not throw. */
	readonly onPlatformChanged?: (platform: PlatformView) => void;
	/** Called with each message that `mirrors`, once its target has received it; must not reject. */
	readonly mirror?: (message: OutgoingMessage) => Promise<void>;
	/** The kinds of targets; by default every kind of this version. */
	readonly kinds?: readonly TargetKind[];
};

/** Dependencies of senders. Without `sign` no authorship mark is added; `hide` also receives secrets that become known at run time. */
type SendersShare = Partial<Pick<SenderWorld, 'sign' | 'secureContext' | 'memos' | 'hide'>>;

const maxSummaryLength = 2000;

/**
 * Delivers to every kind of target. Texts never contain secrets of the configuration.
 *
 * @see manual/delivery.md, manual/runs.md#bounds
 */
export function createDeliverer(dependencies: DelivererDependencies): Deliverer {
	const {clock, config, sign = text => text, secureContext, memos} = dependencies;
	const {onPlatformChanged = () => {}, hide = () => {}, kinds = targetKinds} = dependencies;
	const byName = kindsByName(kinds);
	const secrets = withHidden(() => config().secretValues, hide);
	const redact = createRedact(secrets.values);
	// An answer may contain text in the shape of a credential, but none of our secrets.
	const withoutOwnSecrets = createRedact(secrets.values, {byShape: false});
	const killed = new AbortController();
	const listening = new Map<string, ListeningState | undefined>();
	const states = createPlatformStates(kinds, clock, view =>
		onPlatformChanged(withListening(view, listening.get(view.name))),
	);
	const clean = (text: string) => escapeLine(redact(text), 400);
	const {post, ...connections} = createPost({clock, clean, secureContext});
	const handOver = createHandOver({clock, memos});
	const senderOf = createSenders({
		...dependencies,
		clean,
		post,
		hide: secrets.hide,
		profileEnvironment: profile => config().profiles.of(profile).environment,
		killed: killed.signal,
		sign,
		memos,
	});
	/** The kind of that name with its settings. `off`: why nothing can be sent there; if absent, `kind` is set. */
	const look = (name: string) => {
		const kind = byName.get(name);
		return kind
			? {kind, ...sendSettings(kind, config())}
			: {kind, settings: undefined, off: unknownTarget(name).problem};
	};

	const underWay = new Set<Promise<Receipt>>();

	const send = async (
		kind: TargetKind,
		message: OutgoingMessage,
		signal: AbortSignal,
	): Promise<string> => {
		const {settings, off} = sendSettings(kind, config());
		if (off !== undefined) {
			throw new DeliveryError('platform_disabled', `Cannot deliver: ${off}`);
		}

		const address = kind.check(message.target.extra, settings);
		if (!address.ok) {
			throw new DeliveryError(address.code, `Cannot deliver: ${address.problem}`);
		}

		const sender = await senderOf(kind, settings);
		const state = states.of(kind.kind, address.value);
		return handOver({kind, settings, sender, message, address: address.value, state, signal});
	};

	const hand = async (message: OutgoingMessage, signal: AbortSignal): Promise<Receipt> => {
		const {kind: name} = message.target;
		const kind = byName.get(name);
		if (kind === undefined) {
			const {code, problem} = unknownTarget(name);
			throw new DeliveryError(code, `Cannot deliver: ${problem}`);
		}

		if (kind.reachesPeople && message.offline && !config().model.allowOfflineDelivery) {
			await send(defaultKind, message, signal);
			return {
				summary: `gateway log instead of ${name}: no language model wrote it, and model.allow_offline_delivery is not set`,
				withheld: true,
			};
		}

		const text = outgoingText(withoutOwnSecrets(message.text), kind.text);
		if (kind.reachesPeople && text.trim() === '') {
			throw new DeliveryError('empty_message', 'Cannot deliver: the text is empty');
		}

		const summary = await send(kind, {...message, text}, signal);
		// The summary contains identifiers of the platform, which may be any text.
		return {summary: escapeLine(redact(summary), maxSummaryLength)};
	};

	return {
		async deliver(message, signal) {
			if (signal.aborted || killed.signal.aborted) {
				throw new DeliveryError('delivery_aborted', 'Cannot deliver: the delivery was stopped');
			}

			const delivery = hand(message, AbortSignal.any([signal, killed.signal]));
			underWay.add(delivery);
			try {
				const receipt = await delivery;
				if (message.mirrors && !receipt.withheld) {
					await dependencies.mirror?.(message);
				}

				return receipt;
			} finally {
				underWay.delete(delivery);
			}
		},
		async fits({kind: name, extra}, text) {
			const {kind, settings, off} = look(name);
			const address = off === undefined ? kind?.check(extra, settings) : undefined;
			if (!kind || !address?.ok) {
				return false;
			}

			const sent = outgoingText(withoutOwnSecrets(text), kind.text);
			const sender = await senderOf(kind, settings);
			return sent === text && (sender.split?.(text, address.value) ?? [text]).length === 1;
		},
		mayRepeat: name => (byName.get(name)?.afterBreak ?? 'uncertain') !== 'uncertain',
		problemWith({kind: name, extra}) {
			const {kind, settings, off} = look(name);
			const address = off === undefined ? kind?.check(extra, settings) : undefined;
			return address?.ok === false ? address.problem : off;
		},
		async problemNow(name, profile) {
			const {kind, settings, off} = look(name);
			return off ?? (kind && (await senderOf(kind, settings)).problemNow?.(profile));
		},
		async examine(name, profile, ended) {
			const {kind, settings, off} = look(name);
			if (!kind || off !== undefined) {
				return {health: 'failed', found: off ?? ''};
			}

			const signal = AbortSignal.any([ended, killed.signal]);
			return senderHealth(await senderOf(kind, settings), {profile, clean, signal});
		},
		follow() {
			const now = config();
			for (const kind of kinds) {
				const {settings, off} = sendSettings(kind, now);
				const check = async (): Promise<PlatformCheck | undefined> => {
					const sender = await senderOf(kind, settings);
					return sender.check && (async limits => (await sender.check?.(limits)) ?? '');
				};

				const isOn = off === undefined;
				states.of(kind.kind)?.watch(isOn ? settings : undefined, isOn ? check : undefined);
			}
		},
		listens(kind, state) {
			listening.set(kind, state);

			const view = states.view(kind, platformSettings(config(), kind));
			if (view) {
				onPlatformChanged(withListening(view, state));
			}
		},
		platforms() {
			const now = config();
			return kinds.flatMap(({kind: name, settings}): PlatformView | readonly [] => {
				const reason = platformError(now, name)?.reason;
				const view: PlatformView | undefined =
					settings && reason !== undefined
						? {name, state: 'failed', reason}
						: states.view(name, platformSettings(now, name));
				return view ? withListening(view, listening.get(name)) : [];
			});
		},
		async [Symbol.asyncDispose]() {
			killed.abort();
			states[Symbol.dispose]();

			await Promise.allSettled(underWay);
			await connections[Symbol.asyncDispose]();
		},
	};
}

/** The view of a platform that accepts our texts, combined with the state of listening to it. */
function withListening(view: PlatformView, listening: ListeningState | undefined): PlatformView {
	if (view.state !== 'connected' || !listening) {
		return view;
	}

	const {name} = view;
	switch (listening.state) {
		case 'connecting':
			return {name, state: 'connecting'};

		case 'listening':
			return {...view, ...(listening.note !== undefined && {reason: listening.note})};

		case 'failed': {
			const {nextTry} = listening;
			const reason = `cannot listen: ${listening.reason}`;
			return {
				name,
				state: 'failed',
				reason,
				...(nextTry !== undefined && {nextTry: Math.round(nextTry)}),
			};
		}
	}
}

/**
 * A text in the form of a kind of target: line breaks as line feeds, no controls, no lone surrogates, at most the characters that the kind allows. A longer text is cut,
 * with a note at its end. Without `rules` the text stays unchanged.
 */
export function outgoingText(text: string, rules: TargetKind['text']): string {
	if (!rules) {
		return text;
	}

	const clean = withoutUnwanted(text);
	const note = `\n\n[cut: the whole text has ${clean.length} characters]`;
	const bounded =
		clean.length <= rules.maxLength
			? clean
			: // The cut may tear a surrogate pair.
				clean.slice(0, rules.maxLength - note.length).replace(/[\ud800-\udbff]$/, '') + note;
	return rules.mentions === 'neutralised' ? neutraliseMentions(bounded) : bounded;
}
