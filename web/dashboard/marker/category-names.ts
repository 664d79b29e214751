/** The recommended categories that have another name in English, by their name in files. */
const NAMES: Readonly<Record<string, string>> = {
  Analyse: 'Analysis',
  Dokumentation: 'Documentation',
  Suche: 'Search',
};

/** A category's name in the page's language; files keep the German one. */
export function categoryName(category: string, language: 'en' | 'de'): string {
  return language === 'de' ? category : (NAMES[category] ?? category);
}
