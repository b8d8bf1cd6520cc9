import {findArticle, isHidden, isSurrounding, measure} from './find-article.ts';
import {type Element, elementsOf, parseHtml, setOf} from './parse-html.ts';
import {toMarkdown} from './to-markdown.ts';

/** A page for a reader. All of it is the author's text, unescaped. */
export type ReadPage = {
	readonly title?: string | undefined;
	/** The date of publication that the page states. */
	readonly date?: string | undefined;
	/** Markdown. */
	readonly text: string;
};

const maxFactLength = 500;

/**
 * The article of a page, or the whole page if it has none.
 *
 * @param about.url where it was found
 * @param about.maxLength UTF-16 units after which nothing more is written
 */
export function readHtml(
	html: string,
	{url, maxLength}: {readonly url: string; readonly maxLength: number},
): ReadPage {
	const root = parseHtml(html);
	const measured = measure(root);
	const article = findArticle(root, measured);
	const facts = factsOf(root);
	const base = URL.parse(facts.base ?? '', url)?.href ?? url;
	const reading = {...measured, base, maxLength, isArticle: article !== undefined};
	const text = toMarkdown(article ?? root, reading);
	const heading =
		facts.heading && toMarkdown(facts.heading, {...reading, maxLength: maxFactLength});
	const isHeadingOutside = article !== undefined && facts.heading && !isIn(article, facts.heading);
	return {
		title: facts.title,
		date: facts.date,
		text: isHeadingOutside && heading ? `${heading}\n\n${text}` : text,
	};
}

type Facts = {
	title?: string | undefined;
	date?: string | undefined;
	base?: string | undefined;
	heading?: Element | undefined;
};

const dates = setOf('article:published_time date dc.date dcterms.created datepublished pubdate');

/** The metadata that a page states about itself; the first of several counts. */
function factsOf(root: Element): Facts {
	const facts: Facts = {};
	let ownTime: string | undefined;
	let shared: string | undefined;
	const visit = (element: Element) => {
		const {name, attributes} = element;
		const content = attributes.get('content')?.slice(0, maxFactLength);
		const about = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
		if (name === 'title') {
			facts.title ??= plain(element);
		} else if (name === 'base' && attributes.has('href')) {
			facts.base ??= attributes.get('href') ?? '';
		} else if (name === 'meta' && content !== undefined) {
			facts.date ??= dates.has(about) ? content : undefined;
			shared ??= about === 'og:title' ? content : undefined;
		} else if (name === 'script' && attributes.get('type') === 'application/ld+json') {
			facts.date ??= /"datePublished"\s{0,8}:\s{0,8}"([^"]{4,40})"/.exec(textOf(element))?.[1];
		} else if (name === 'time') {
			ownTime ??= attributes.get('datetime')?.slice(0, 40);
		} else if (name === 'h1' && !isHidden(element)) {
			facts.heading ??= element;
		}

		if (name !== 'svg' && !(name === 'body' && isHidden(element))) {
			elementsOf(element).forEach(visit);
		}
	};
	visit(root);
	return {...facts, title: facts.title || shared, date: facts.date ?? ownTime};
}

const textOf = ({children}: Element): string =>
	children.filter(child => typeof child === 'string').join('');

const plain = (element: Element): string =>
	textOf(element)
		.slice(0, 4 * maxFactLength)
		.replaceAll(/\s+/g, ' ')
		.trim()
		.slice(0, maxFactLength);

/** Whether writing `element` includes `sought`. */
const isIn = (element: Element, sought: Element): boolean =>
	element === sought ||
	elementsOf(element).some(
		child => !isHidden(child) && !isSurrounding(child) && isIn(child, sought),
	);
