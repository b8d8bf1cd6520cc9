import {blocks, type Element, elementsOf, setOf} from './parse-html.ts';

/** Measures of an element, which decide how a page is read. */
type Measure = {
	/** Characters in links, and in all of it; without hidden text. */
	readonly linked: number;
	readonly length: number;
	/** Characters of sentences: in paragraphs of some length, outside of links and of an article's surroundings. */
	readonly prose: number;
	/** Whether blocks stand in it, and whether a table does. */
	readonly hasBlocks: boolean;
	readonly hasTable: boolean;
};

export type Measured = {readonly measureOf: (element: Element) => Measure};

/** Elements that hold no text for readers. */
const unread = setOf(
	'script style template svg iframe object embed canvas audio video map select textarea datalist input button noframes head title meta link',
);

/** The surroundings of an article. */
const surroundings = setOf('nav footer aside menu');
const surroundingRoles = setOf(
	'navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar',
);
/** Whole names of classes: `has-sidebar` is not a sidebar. */
const surroundingWords =
	/(?:^|\s)(?:cookies?|consent|gdpr|newsletter|sidebar|breadcrumbs?|share|sharing|social|related|promo|advert|ads?|navbar|skip-link)(?:$|\s)/i;

/** Elements that may hold the article: their class does not count. */
const contents = setOf('html body main article section');

/** Shorter texts are labels. */
const minParagraphLength = 40;

/** Of a page without as much prose everything is read. */
const minProse = 300;

/** An element that holds as much of the prose is the article. */
const articleShare = 0.7;

const hiddenStyle = /(?:^|;)\s{0,8}(?:display\s{0,8}:\s{0,8}none|visibility\s{0,8}:\s{0,8}hidden)/i;

/** Whether a reader of the page would not see the element. */
export const isHidden = ({name, attributes}: Element): boolean =>
	unread.has(name) ||
	attributes.has('hidden') ||
	attributes.get('aria-hidden') === 'true' ||
	(name === 'dialog' && !attributes.has('open')) ||
	hiddenStyle.test(attributes.get('style') ?? '');

/** Whether the element is of the site and not of the article: navigation, footers, banners. */
export const isSurrounding = ({name, attributes}: Element): boolean =>
	surroundings.has(name) ||
	surroundingRoles.has(attributes.get('role') ?? '') ||
	(blocks.has(name) &&
		!contents.has(name) &&
		surroundingWords.test((attributes.get('class') ?? '').slice(0, 500)));

/** Measures all elements of a page, the innermost first. */
export function measure(root: Element): Measured {
	const measures = new Map<Element, Measure>();
	const visit = (element: Element, isProse: boolean, isLink: boolean): Measure => {
		const counted = isProse && !isSurrounding(element);
		const inLink = isLink || element.name === 'a';
		let [linked, length, prose, own] = [0, 0, 0, 0];
		let [hasBlocks, hasTable] = [false, false];
		for (const child of element.children) {
			if (typeof child === 'string') {
				const {length: size} = child.trim();
				length += size;
				linked += inLink ? size : 0;
				own += inLink ? 0 : size;
			} else if (!isHidden(child)) {
				const of = visit(child, counted, inLink);
				linked += of.linked;
				length += of.length;
				prose += of.prose;
				own += blocks.has(child.name) || of.hasBlocks ? 0 : of.length - of.linked;
				hasBlocks ||= of.hasBlocks || blocks.has(child.name);
				hasTable ||= of.hasTable || child.name === 'table';
			}
		}

		const isParagraph = counted && (blocks.has(element.name) || hasBlocks);
		prose += isParagraph && own >= minParagraphLength ? own : 0;
		const result = {linked, length, prose, hasBlocks, hasTable};
		measures.set(element, result);
		return result;
	};
	visit(root, true, false);
	const nothing = {linked: 0, length: 0, prose: 0, hasBlocks: false, hasTable: false};
	return {measureOf: element => measures.get(element) ?? nothing};
}

/**
 * The innermost element that holds seven tenths of a page's prose, at an `article` or `main` at the latest; `undefined` for a page that is no article, such as a list of links or a form.
 */
export function findArticle(root: Element, {measureOf}: Measured): Element | undefined {
	const {prose: whole} = measureOf(root);
	if (whole < minProse) {
		return undefined;
	}

	let found = root;
	for (;;) {
		const inner = elementsOf(found).find(child => measureOf(child).prose >= whole * articleShare);
		if (!inner || inner.name === 'p') {
			return found;
		}

		found = inner;
		if (found.name === 'article' || found.name === 'main') {
			return found;
		}
	}
}
