import type {Config, Slip} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import type {Logger} from '../core/log.ts';
import type {Target} from '../core/run.ts';
import {clientEnvironment} from './client-environment.ts';
import {DeliveryError} from './delivery-error.ts';
import {recipientsOf, subjectOf} from './email-target.ts';
import {sendEmail} from './email.ts';
import {postForgeComment} from './forge-comment.ts';
import {forgeTargetOf} from './forge-target.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import type {PlatformState} from './platform-state.ts';
import type {Checked} from './target-keys.ts';

/** One kind of target. */
export type Channel = {
	/** Why the rendered target cannot be delivered to; no I/O. */
	problemWith(target: Target): string | undefined;
	/**
	 * Hands the text over; resolves with a line for a person.
	 *
	 * @throws DeliveryError
	 */
	send(message: OutgoingMessage, signal: AbortSignal): Promise<string>;
};

export type ChannelDependencies = {
	readonly clock: Clock;
	readonly log: Logger;
	readonly config: () => Config;
	readonly environment: () => Readonly<Record<string, string>>;
	/** Makes what others said fit for an error message. */
	readonly clean: (text: string) => string;
	readonly email: PlatformState;
	/** Ends child processes at once. */
	readonly killed: AbortSignal;
};

/** Cut before it is cleaned; a record of the log holds less anyway. */
const longestLogText = 8000;

/** The gateway log: one record per answer, as much of it as a record holds. The whole answer stays in the journal. */
export const createLogChannel = ({log}: Pick<ChannelDependencies, 'log'>): Channel => ({
	problemWith: () => undefined,
	async send({text, route, event, delivery, job, runId}) {
		const whose = job ? `job "${job.name}"` : `route "${route}"`;
		log.info(`Answer of ${whose}: ${text.slice(0, longestLogText)}`, {
			route,
			event,
			delivery,
			job: job?.id,
			run: runId,
		});
		return 'gateway log';
	},
});

/** Comments on pull requests and issues. */
export const createForgeChannel = ({
	clock,
	config,
	environment,
	clean,
	killed,
}: ChannelDependencies): Channel => ({
	problemWith: ({extra}) => problemOf(forgeTargetOf(extra)),
	async send({text, target, profile}, signal) {
		const {forge, profiles} = config();
		if (forge.broken !== undefined) {
			throw new DeliveryError('forge_client_unusable', `Cannot deliver: ${forge.broken}`);
		}

		return postForgeComment(
			{
				target: required(forgeTargetOf(target.extra)),
				text,
				cli: forge.cli,
				environment: clientEnvironment(environment(), profiles.of(profile).environment),
				signal,
				killed,
			},
			{clock, clean},
		);
	},
});

/** Why nothing can be mailed while it is not enabled. */
const emailIsOff = ({slips}: Config): string =>
	emailSlip({slips})?.reason ?? 'platform "email" is not enabled; see platforms.email';

/** What is wrong with `platforms.email`, when no last good version of it is in use. */
export const emailSlip = ({slips}: Pick<Config, 'slips'>): Slip | undefined =>
	[slips.get('platforms.email'), slips.get('platforms')].find(slip => slip?.kept === false);

/** Mail. */
export const createEmailChannel = ({
	clock,
	config,
	clean,
	email: state,
}: ChannelDependencies): Channel => ({
	problemWith({extra}) {
		const now = config();
		const {email} = now.platforms;
		return email?.enabled ? problemOf(recipientsOf(extra, email.homeChannel)) : emailIsOff(now);
	},
	async send(message, signal) {
		const now = config();
		const {email} = now.platforms;
		if (!email?.enabled) {
			throw new DeliveryError('platform_disabled', `Cannot deliver: ${emailIsOff(now)}`);
		}

		const {extra} = message.target;
		const recipients = required(recipientsOf(extra, email.homeChannel));
		const subject = subjectOf(extra, message);
		return state.observe(email, async () =>
			sendEmail({config: email, message, recipients, subject, signal}, {clock, clean}),
		);
	},
});

const problemOf = (checked: Checked<unknown>) => (checked.ok ? undefined : checked.problem);

function required<Value>(checked: Checked<Value>): Value {
	if (!checked.ok) {
		throw new DeliveryError(checked.code, `Cannot deliver: ${checked.problem}`);
	}

	return checked.value;
}
