import {z} from 'zod';
import {alertKinds} from '../core/config-view.ts';
import {didYouMean} from '../core/names.ts';
import {
	checked,
	nonBlankText,
	requiredSetting,
	setting,
	wholeNumber,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {escapeLine} from '../core/untrusted.ts';
import {placeOf, platformKinds, platformNamed} from '../platforms/platforms.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {platformSettings, problemWithChatId, problemWithPlatform} from './platform-settings.ts';

const weekSeconds = 604_800;
const maxAlerts = 50;

/** An entry of `alerts`. @see manual/alerts.md */
export const alertSettings = defineSettings({
	platform: requiredSetting(
		checked(z.string(), name => (platformNamed(name) ? undefined : noPlatform(name))),
		'The [platform](delivery.md#platforms) to send to',
	),
	chat_id: setting(
		z.union([nonBlankText, z.number().int()]),
		'The chat, as in `deliver_extra`; absent: `home_channel` of the platform',
		{as: 'chat', to: String},
	),
	on: setting(
		z.array(z.enum(alertKinds)).min(1),
		'What it reports: `dead`, `lost`, `login`, `refused`, `approval`',
		{default: alertKinds},
	),
	at_most_seconds: setting(wholeNumber(1, weekSeconds), 'Least time between two messages', {
		default: 3600,
		unit: 'seconds',
	}),
});

/** A chat that receives alerts, and the alerts it receives. */
export type AlertConfig = ReturnType<typeof alertSettings.read>;

const entrySchema = alertSettings.schema.meta({
	id: 'alert',
	description: 'A chat that is told what needs a person',
});

/** `alerts`. An invalid entry is replaced by null, so that the others keep their indexes. */
export const alertsSchema = z
	.array(entrySchema.nullable())
	.max(maxAlerts)
	.nullish()
	.transform((entries): readonly AlertConfig[] =>
		(entries ?? []).flatMap(entry => (entry ? [alertSettings.read(entry)] : [])),
	)
	.meta({description: 'Chats that are told what needs a person'});

function noPlatform(name: string): string {
	const names = platformKinds.map(({kind}) => kind);
	return `"${escapeLine(name, 40)}" is no platform${didYouMean(name, names) || `: ${names.join(', ')}`}`;
}

/** The target of an alert in words: `telegram 12345`. */
export const alertPlace = (alert: Pick<AlertConfig, 'chat' | 'platform'>): string =>
	placeOf(alertTarget(alert));

/** The target of an alert. The text is plain, not Markdown: alerts contain names that strangers chose. */
export const alertTarget = ({platform, chat}: Pick<AlertConfig, 'chat' | 'platform'>) => ({
	kind: platform,
	extra: {format: 'plain', ...(chat !== undefined && {chat_id: chat})},
});

type Known = Parameters<typeof problemWithPlatform>[1];

/** Why an alert cannot arrive with this configuration, and the key that causes it; `undefined`: it may arrive. */
export function problemWithAlert(
	alert: Pick<AlertConfig, 'chat' | 'platform'>,
	config: Known,
): {readonly key: 'chat_id' | 'platform'; readonly message: string} | undefined {
	const message = problemWithPlatform(alert.platform, config);
	if (message !== undefined) {
		return {key: 'platform', message};
	}

	const settings = platformSettings(config, alert.platform);
	const ofChat = settings && problemWithChatId(alert.platform, alertTarget(alert).extra, settings);
	return ofChat === undefined ? undefined : {key: 'chat_id', message: ofChat};
}

/** `problemWithAlert` for each valid entry of `alerts` in `value` (all of `config.yaml`), as warnings at their keys. */
export function diagnoseAlerts(value: unknown, config: Known): readonly UnplacedDiagnostic[] {
	const parsed = z.object({alerts: z.array(z.unknown())}).safeParse(value);
	return (parsed.data?.alerts ?? []).flatMap((written, index): readonly UnplacedDiagnostic[] => {
		const entry = entrySchema.safeParse(written);
		const problem = entry.data && problemWithAlert(alertSettings.read(entry.data), config);
		return problem
			? [{path: ['alerts', index, problem.key], message: problem.message, severity: 'warning'}]
			: [];
	});
}

/** An alert in words, for the report of a reload. */
export const reportedAlert = (alert: AlertConfig): string =>
	`${alertPlace(alert)} on ${alert.on.join(', ')}, at most one in ${alert.atMostMs / 1000} s`;
