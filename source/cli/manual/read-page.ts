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
