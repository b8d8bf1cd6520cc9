import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** A page of the manual. */
export type ManualPage = {
	/** Its file's name, which `svc help` takes. */
	readonly topic: string;
	/** Its first heading. */
	readonly title: string;
	/** Markdown. */
	readonly text: string;
};

/** Beside the bundle, or in the sources. */
const folder = ['manual/', '../../manual/']
	.map(path => fileURLToPath(new URL(path, import.meta.url)))
	.find(path => existsSync(path));

/** Topics of the manual, in the order of the alphabet. */
export const manualTopics = (): readonly string[] =>
	(folder === undefined ? [] : readdirSync(folder))
		.filter(name => name.endsWith('.md'))
		.map(name => name.slice(0, -'.md'.length))
		.toSorted();

/** The page of `topic`; `undefined` when there is none. */
export function readManualPage(topic: string): ManualPage | undefined {
	if (!manualTopics().includes(topic)) {
		return undefined;
	}

	const text = readFileSync(`${folder}${topic}.md`, 'utf8');
	return {topic, title: /^# (.*)$/m.exec(text)?.[1] ?? topic, text};
}

/** At most three topics whose pages say most of `word`, most first. */
export const topicsAbout = (word: string): readonly string[] =>
	manualTopics()
		.map(topic => ({
			topic,
			count: (readManualPage(topic)?.text.toLowerCase().split(word.toLowerCase()).length ?? 1) - 1,
		}))
		.filter(({count}) => count > 0)
		.toSorted((one, other) => other.count - one.count)
		.slice(0, 3)
		.map(({topic}) => topic);

/** A setting that a table of the manual has. */
type ManualSetting = {readonly name: string; readonly says: string; readonly topic: string};

let settings: readonly ManualSetting[] | undefined;

/** The settings of the tables of the manual; one that stands on two pages is that of the page about its subject. The pages are read once, with the first call. */
export function manualSettings(): readonly ManualSetting[] {
	settings ??= [
		...new Map(
			// What a page of its own tells of comes after the overview of all files, and takes its place.
			manualTopics()
				.toSorted((one, other) => Number(other === overviewTopic) - Number(one === overviewTopic))
				.flatMap(topic => settingsOn(topic, readManualPage(topic)?.text ?? ''))
				.map(setting => [setting.name, setting]),
		).values(),
	];
	return settings;
}

const overviewTopic = 'configuration';

/** The rows of the tables that are made from the declarations of settings. */
const settingsOn = (topic: string, text: string): readonly ManualSetting[] =>
	[...text.matchAll(/^<!-- table: settings ([^\n]+) -->$(.*?)^<!-- \/table -->$/gms)].flatMap(
		([, path = '', rows = '']) =>
			[...rows.matchAll(/^\| `([^`]+)`[^|]*\|(?:[^|\\]|\\.)*\|((?:[^|\\]|\\.)*)\|/gm)].map(
				([, key = '', says = '']) => ({
					// Tables of several mappings have them in their keys.
					name: path.includes(' ') || key.startsWith(`${path}.`) ? key : `${path}.${key}`,
					says: says
						.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
						.replaceAll(/[`\\]/g, '')
						.trim(),
					topic,
				}),
			),
	);
