import {blocks, type Element, elementsOf, setOf} from './parse-html.ts';

/** Measures of an element by which the article is found. */
type Measure = {
	/** Visible characters within links, and in total. */
	readonly linked: number;
	readonly length: number;
	/** Characters of prose: in paragraphs of some length, outside of links and of an article's surroundings. */
	readonly prose: number;
	/** Whether the element contains blocks, and whether it contains a table. */
	readonly hasBlocks: boolean;
	readonly hasTable: boolean;
};

export type Measured = {readonly measureOf: (element: Element) => Measure};

/** Elements without text for readers. */
const unread = setOf(
	'script style template svg iframe object embed canvas audio video map select textarea datalist input button noframes head title meta link',
);

/** The surroundings of an article. */
const surroundings = setOf('nav footer aside menu');
const surroundingRoles = setOf(
	'navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar',
);
/** Matched against whole class names: `has-sidebar` is not a sidebar. */
const surroundingWords =
	/(?:^|\s)(?:cookies?|consent|gdpr|newsletter|sidebar|breadcrumbs?|share|sharing|social|related|promo|advert|ads?|navbar|skip-link)(?:$|\s)/i;

/** Elements that may contain the article, whatever their class. */
const contents = setOf('html body main article section');

/** Shorter texts are labels. */
const minParagraphLength = 40;

/** A page with less prose is read completely. */
const minProse = 300;

/** The article is an element with this share of the prose. */
const articleShare = 0.7;

const hiddenStyle = /(?:^|;)\s{0,8}(?:display\s{0,8}:\s{0,8}none|visibility\s{0,8}:\s{0,8}hidden)/i;

/** Whether the element is invisible on the page. */
export const isHidden = ({name, attributes}: Element): boolean =>
	unread.has(name) ||
	attributes.has('hidden') ||
	attributes.get('aria-hidden') === 'true' ||
	(name === 'dialog' && !attributes.has('open')) ||
	hiddenStyle.test(attributes.get('style') ?? '');

/** Whether the element belongs to the site, not the article: navigation, footers, banners. */
export const isSurrounding = ({name, attributes}: Element): boolean =>
	surroundings.has(name) ||
	surroundingRoles.has(attributes.get('role') ?? '') ||
	(blocks.has(name) &&
		!contents.has(name) &&
		surroundingWords.test((attributes.get('class') ?? '').slice(0, 500)));

/** Measures all elements of a page, innermost first. */
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
 * The innermost element with seven tenths of a page's prose, searched no deeper than an `article` or `main`; `undefined` for a page without an article, such as a
 * list of links or a form.
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
