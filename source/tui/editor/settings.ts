import type {RouteField} from '../../core/route-editor.ts';

/** The sections of the form in the order in which a route handles an event. */
const groups = {
	IN: {
		'': {label: 'name', stands: 'always'},
		description: {label: 'note'},
		events: {label: 'events', stands: 'always', unset: 'every event but ping'},
		secret: {label: 'secret', stands: 'always', unset: 'the global one'},
		retired_secrets: {label: 'retired secrets', stands: 'unfolded'},
		rotated_on: {label: 'secret made on', stands: 'unfolded'},
		signature: {label: 'signature', unset: 'known by its header'},
		profile: {label: 'profile', unset: 'default'},
		enabled: {label: 'takes events'},
		public_url: {label: 'public URL'},
		event_header: {label: 'event header', unset: 'the usual ones'},
		event_field: {label: 'event field'},
		id_header: {label: 'id header', unset: 'the usual ones'},
		id_field: {label: 'id field'},
		cloudevents: {label: 'CloudEvents'},
		max_body_bytes: {label: 'largest body'},
	},
	KEEP: {
		filters: {label: 'filter', stands: 'always', unset: 'every event passes'},
		script: {label: 'script'},
		script_timeout_seconds: {label: 'script ends after'},
		retry_on_script_failure: {label: 'retry if it fails'},
		dedupe_body: {label: 'same body once'},
	},
	ASK: {
		prompt: {label: 'prompt', stands: 'always', unset: 'the payload as JSON'},
		subject: {label: 'subject'},
		skills: {label: 'skills'},
		toolsets: {label: 'toolsets', unset: 'svc-webhook'},
		prefetch: {label: 'get before'},
		cron_job: {label: 'fire a job'},
		'coalesce.key': {label: 'one run per'},
		'coalesce.window_seconds': {label: 'quiet window, s'},
		'coalesce.max_wait_seconds': {label: 'longest wait, s'},
	},
	ANSWER: {
		deliver: {label: 'deliver to', stands: 'always'},
		deliver_extra: {label: 'target', stands: 'always'},
		deliver_only: {label: 'without an agent'},
		mirror_to_session: {label: 'into the session'},
	},
	LIMITS: {
		rate_limit: {label: 'events a minute', stands: 'always'},
		overflow: {label: 'above that'},
		concurrency: {label: 'runs at once'},
		loop_limit: {label: 'answers in a loop'},
		loop_window_seconds: {label: 'loop window, s'},
	},
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>;

/** The texts of a setting. */
type Setting = {
	readonly label: string;
	/** What applies if the setting is absent, where that is more than its default. */
	readonly unset?: string;
	/** When the field is visible without unfolding. `always`: even without a value; `unfolded`: never, because svc writes the value itself; absent: when it has a value. */
	readonly stands?: 'always' | 'unfolded';
};

type GroupName = keyof typeof groups;

type Known = Setting & {readonly key: string; readonly group: GroupName};

/** All settings with texts, in the order of the form. */
export const settings: readonly Known[] = Object.entries(groups).flatMap(([group, own]) =>
	Object.entries<Setting>(own).map(
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own keys
		([key, setting]) => ({...setting, key, group: group as GroupName}),
	),
);

const byKey = new Map(settings.map((setting, index) => [setting.key, {...setting, index}]));

/** The texts of a field: its own, else those of its mapping or list, else its key, placed at the end of the form. */
export function settingOf({path}: Pick<RouteField, 'path'>): Known & {readonly index: number} {
	const key = path.join('.');
	const [first = ''] = path;
	return (
		byKey.get(key) ?? byKey.get(first) ?? {key, label: key, group: 'LIMITS', index: settings.length}
	);
}

/** The fields in the order of the form. */
export const inFormOrder = (fields: readonly RouteField[]): readonly RouteField[] =>
	fields.toSorted((one, other) => settingOf(one).index - settingOf(other).index);
