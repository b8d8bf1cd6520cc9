import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {NotesOfAny} from '../../core/schema-parts.ts';
import type {TargetKind} from '../../platforms/target-kind.ts';
import {contentOf} from '../field-kinds.ts';
import {field, trimmed, type FieldRecord, type FieldValue} from '../field.ts';

/** What a form asks of a platform. */
export type AskedPlatform = Pick<TargetKind, 'fields' | 'kind' | 'needs' | 'title'>;

const homeChannel = 'home_channel';

/** Set by what is asked below. */
const asked: ReadonlySet<string> = new Set(['enabled', 'webhooks', 'per_minute', 'max_parts']);

const hookFields: readonly FieldRecord[] = [
	field('hook', 'text', {
		title: 'name',
		description: 'What the webhook is called here: routes name it as their chat_id.',
		required: true,
		initial: 'main',
		own: trimmed,
	}),
	field('url', 'text', {
		description: 'The address of the incoming webhook. Nobody sees what is typed.',
		required: true,
		masked: true,
		own: trimmed,
	}),
	field('secret', 'text', {
		description: 'What it is signed with, where it is. Nobody sees what is typed.',
		masked: true,
		own: trimmed,
	}),
];

/** The settings of a platform that a person fills in to use it: those that it needs, those without a default, and the chat of texts that name none. Keys of a mapping stand behind its own: `smtp.host`. */
export function platformFields({fields = {}, needs = []}: AskedPlatform): readonly FieldRecord[] {
	const settings = leavesOf(fields).flatMap(([key, notes]) =>
		asked.has(key) || (notes.default !== undefined && !needs.includes(key))
			? []
			: [fieldOf(key, notes, needs.includes(key))],
	);
	const all = [...settings, ...(Object.hasOwn(fields, 'webhooks') ? hookFields : [])];
	// Where to is asked last: credentials come first.
	return all.toSorted((a, b) => Number(a.key === homeChannel) - Number(b.key === homeChannel));
}

const leavesOf = (
	fields: Readonly<Record<string, {readonly notes: NotesOfAny}>>,
): ReadonlyArray<readonly [key: string, notes: NotesOfAny]> =>
	Object.entries(fields).flatMap(([key, {notes}]) =>
		notes.inner?.fields
			? leavesOf(notes.inner.fields).map(([below, inner]) => [`${key}.${below}`, inner] as const)
			: [[key, notes] as const],
	);

const fieldOf = (key: string, {description, secret}: NotesOfAny, required: boolean): FieldRecord =>
	field(key, 'text', {
		description: secret ? `${description}. Nobody sees what is typed.` : `${description}.`,
		required,
		masked: secret === true,
		own: trimmed,
	});

/** What is written below `platforms.<kind>` for what is filled in. */
export function platformSettingsOf(
	platform: AskedPlatform,
	values: Readonly<Record<string, FieldValue>>,
): JsonObject {
	const content = contentOf({fields: platformFields(platform), values});
	const {hook, url, secret, ...rest}: Record<string, JsonValue> = {...content};
	const settings = Object.entries(rest).reduce<JsonObject>((all, [key, value]) => {
		const [outer = '', inner] = key.split('.');
		const group = all[outer];
		return {
			...all,
			[outer]: inner === undefined ? value : {...(isJsonObject(group) && group), [inner]: value},
		};
	}, {});
	return typeof hook === 'string' && typeof url === 'string'
		? {
				...settings,
				webhooks: {[hook]: {url, ...(secret !== undefined && {secret})}},
				[homeChannel]: settings[homeChannel] ?? hook,
			}
		: settings;
}
