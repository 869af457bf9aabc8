// For compilers that look for the types of whatever is imported: a style sheet has none.
export {}
