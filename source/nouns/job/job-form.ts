import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {field, type FieldKind, type FieldRecord, type FieldValue} from '../field.ts';

/** A setting with its option. */
const asked = (
	key: string,
	kind: FieldKind,
	{flags, ...more}: Partial<FieldRecord> & {readonly flags: string; readonly description: string},
): FieldRecord => field(key, kind, {title: key, option: {flags}, ...more});

/** The settings of a job, by their keys in the file. */
export const jobFields: readonly FieldRecord[] = [
	asked('name', 'text', {flags: '--name <name>', description: 'what the job is called'}),
	asked('schedule', 'text', {
		flags: '--schedule <text>',
		description:
			'"0 9 * * 1-5" (five cron fields, or six with seconds first), "every 2h", or a time such as "2026-12-24T18:00"',
	}),
	asked('time_zone', 'text', {
		flags: '--time-zone <zone>',
		description: 'IANA zone of the schedule; the machine’s when absent',
	}),
	asked('prompt', 'lines', {flags: '--prompt <text>', description: 'what the agent is asked'}),
	asked('skills', 'texts', {
		flags: '--skills <list>',
		description: 'skills, separated by commas; the first that is found is loaded',
	}),
	asked('toolsets', 'texts', {
		flags: '--toolsets <list>',
		description: 'toolsets instead of the default, separated by commas; "" for none',
	}),
	asked('model', 'text', {
		flags: '--model <name>',
		description: 'model of the same provider instead of the configured one',
	}),
	asked('deliver', 'text', {
		flags: '--deliver <target>',
		description: 'target of the answer; svc help delivery lists them',
	}),
	asked('chat_id', 'text', {
		flags: '--deliver-chat-id <id>',
		description: 'chat or address for the target',
	}),
	asked('deliver_extra', 'mapping', {
		flags: '--deliver-extra <key=value>',
		description: 'another key for the target, such as repo or pr_number; repeatable',
	}),
	asked('misfire', 'choice', {
		flags: '--misfire <rule>',
		description:
			'what becomes of times that passed while no gateway ran: one run for all of them, or none',
		options: ['once', 'skip'].map(value => ({value, title: value})),
	}),
];

/** The settings of a new job: name and schedule are required. */
export const newJobFields: readonly FieldRecord[] = [
	...jobFields.map(one =>
		one.option && (one.key === 'name' || one.key === 'schedule')
			? {...one, option: {...one.option, isNeeded: true}}
			: one,
	),
	asked('paused', 'choice', {
		flags: '--paused',
		option: {flags: '--paused', value: true},
		description: 'do not fire until it is resumed',
	}),
];

/** The settings to write into a job's entry; fields without a value are left out. */
export function jobSettings({
	chat_id: chat,
	deliver_extra: extra,
	...values
}: Readonly<Record<string, FieldValue>>): JsonObject {
	const all = {...(chat !== undefined && {chat_id: chat}), ...(isJsonObject(extra) && extra)};
	const named: Readonly<Record<string, FieldValue>> = {
		...values,
		deliver_extra: Object.keys(all).length > 0 ? all : undefined,
	};
	return Object.fromEntries(
		Object.entries(named).filter((pair): pair is [string, JsonValue] => pair[1] !== undefined),
	);
}
